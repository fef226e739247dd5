import type { Block } from '../models/block.ts';
import type { Archive } from './archive.ts';
import { openArchive } from './archive.ts';
import { joinCells, joinWhiteSpace } from './clean.ts';
import { ColumnNames } from './column-names.ts';
import { isUnreadable, tooComplex, unreadable } from '../models/extraction-failure.ts';
import type { NumberWriter } from './number-format.ts';
import { firstById, mainPart, relationshipsOf } from './ooxml.ts';
import type { ExtractionLimits, FormatReader, ReportShare, ReportWarning, SourceFile } from './reader.ts';
import type { StringStore } from './string-store.ts';
import { notesOf } from './xlsx-notes.ts';
import { walkXml } from './xml.ts';
import { readSharedStrings, readStyles, readWorkbook, unescapeCharacters } from './xlsx-workbook.ts';

/** Maximum number of rows of a sheet (Excel's own limit). */
const maxRows = 1_048_576;
/** Maximum length of a row, so that 16,384 full cells do not become one huge block. */
const longestRow = 1_000_000;

/** Types of sheet parts: with cells, and with a single chart. */
const sheetTypes = new Set(['worksheet', 'chartsheet']);

/** Default sheet names, which nobody searches for. */
const defaultSheetName =
  /^(sheet|tabelle|blatt|feuil(le)?|hoja|foglio|planilha|blad|ark|taul|arkusz|list|лист|シート|工作表)[ _]?\d*$/iu;

/** Data that the cells of all sheets refer to. */
interface Shared {
  strings: StringStore;
  writerOf(style: number): NumberWriter;
}

function cellText(type: string, value: string, style: number, shared: Shared): string {
  switch (type) {
    case 's':
      return value === '' ? '' : shared.strings.at(Number(value));
    case 'b':
      return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value;
    case 'str':
    case 'inlineStr':
      return unescapeCharacters(value);
    case 'd':
      return value.replace(/T00:00:00(\.0+)?Z?$/, '').replace('T', ' ');
    case 'e':
      return value;
    default: {
      const number = value === '' ? Number.NaN : Number(value);
      return Number.isNaN(number) ? value : shared.writerOf(style)(number);
    }
  }
}

/** Walks a sheet (18.3) and yields its non-empty rows with their numbers. */
async function* rowsOf(
  archive: Archive,
  part: string,
  shared: Shared,
  report: (bytes: number) => void,
): AsyncGenerator<{ row: number; cells: string[] }, void, undefined> {
  let rows: { row: number; cells: string[] }[] = [];
  let row = 0;
  let cells: string[] = [];
  let kept = 0;
  let type = '';
  let style = 0;
  let value = '';
  let reading = false;
  let phonetic = false;
  async function* counted(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of archive.read(part)) {
      report(chunk.length);
      yield chunk;
    }
  }
  const walk = walkXml(counted(), {
    open: (name, attributes) => {
      switch (name) {
        case 'row': {
          const stated = Number(attributes['r']);
          row = Number.isInteger(stated) && stated > 0 ? stated : row + 1;
          if (row > maxRows) throw tooComplex(`a sheet has row ${row}`);
          cells = [];
          kept = 0;
          break;
        }
        case 'c':
          type = attributes['t'] ?? 'n';
          style = Number(attributes['s'] ?? -1);
          value = '';
          break;
        case 'v':
          reading = true;
          break;
        case 't':
          reading = !phonetic;
          break;
        case 'rPh':
          phonetic = true;
          break;
        default:
          break;
      }
    },
    close: (name) => {
      switch (name) {
        case 'v':
        case 't':
          reading = false;
          break;
        case 'rPh':
          phonetic = false;
          break;
        case 'c': {
          const text = joinWhiteSpace(cellText(type, value, style, shared));
          if (text !== '' && kept < longestRow) cells.push(text);
          kept += text.length;
          value = '';
          break;
        }
        case 'row':
          if (cells.length > 0) rows.push({ row, cells });
          break;
        default:
          break;
      }
    },
    text: (piece) => {
      if (reading) value += piece;
    },
  });
  for await (const _ of walk) {
    yield* rows;
    rows = [];
  }
}

/**
 * Excel (.xlsx): a block for each non-empty row of every visible sheet, then the sheet's comments and text boxes with
 * their rows. Formulas yield their stored value; numbers, dates and percentages read as displayed. The context
 * of a sheet's blocks is its name, and below a row with the names of columns also these.
 */
export const readXlsx: FormatReader = async function* (
  file: SourceFile,
  limits: ExtractionLimits,
  report: ReportShare,
  warn: ReportWarning = () => undefined,
) {
  const archive = await openArchive(file, limits);
  try {
    const main = await mainPart(archive, 'xl/workbook.xml', /spreadsheetml\.sheet\.main|ms-excel\.sheet/i);
    const related = await relationshipsOf(archive, main);
    const targetOf = (type: string): string | null =>
      related.find((relation) => relation.type === type)?.target ?? null;
    const workbook = await readWorkbook(archive, main);
    const shared: Shared = {
      writerOf: await readStyles(archive, targetOf('styles'), workbook.since1904),
      strings: await readSharedStrings(archive, targetOf('sharedStrings') ?? archive.find('xl/sharedStrings.xml')),
    };
    const byId = firstById(related);
    const read = new Set<string>();
    const shown = workbook.sheets.flatMap(({ name, relationshipId, hidden }, index) => {
      const relation = byId.get(relationshipId);
      const part =
        relation === undefined
          ? archive.find(`xl/worksheets/sheet${index + 1}.xml`)
          : sheetTypes.has(relation.type)
            ? relation.target
            : null;
      // Reading a sheet that is listed twice would multiply the work at no cost to an attacker.
      if (hidden || part === null || read.has(part)) return [];
      read.add(part);
      return [{ name: joinWhiteSpace(name), part }];
    });
    if (workbook.sheets.length === 0) throw unreadable('the workbook lists no sheets');
    const total = shown.reduce((sum, { part }) => sum + archive.size(part), 1);
    let bytesRead = 0;
    for (const [index, { name, part }] of shown.entries()) {
      const title = defaultSheetName.test(name) ? '' : name;
      const columns = new ColumnNames();
      let context: string | null = title === '' ? null : title;
      for await (const { row, cells } of rowsOf(archive, part, shared, (bytes) =>
        report((bytesRead += bytes) / total),
      )) {
        const names = columns.next(row, cells);
        if (names !== null) context = title === '' ? names : `${title}\n${names}`;
        const block: Block = {
          text: joinCells(cells),
          location: { sheet: name, row },
          group: `sheet ${index + 1}`,
          ...(context === null ? {} : { context }),
        };
        context = null;
        yield block;
      }
      let noteContext = title;
      try {
        for await (const { row, text } of notesOf(archive, part)) {
          if (text === '' || row > maxRows) continue;
          const note: Block = {
            text,
            location: { sheet: name, row },
            group: `sheet ${index + 1} notes`,
            ...(noteContext === '' ? {} : { context: noteContext }),
          };
          noteContext = '';
          yield note;
        }
      } catch (error) {
        // The cells are still read.
        if (!isUnreadable(error)) throw error;
        warn({ code: 'sheet_notes_unread', detail: `Comments and text boxes of the sheet ${name} could not be read.` });
      }
    }
  } finally {
    archive.close();
  }
};

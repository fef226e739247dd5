import { CsvError, parse } from 'csv-parse';
import type { Parser } from 'csv-parse';
import type { Block } from '../models/block.ts';
import { cleanText, joinCells } from './clean.ts';
import { ColumnNames } from './column-names.ts';
import { unreadable } from '../models/extraction-failure.ts';
import type { ExtractionLimits, FormatReader, ReportShare, SourceFile } from './reader.ts';
import { openSource, startOf } from './source-bytes.ts';
import { cutOff, utf8Chunks } from './utf8.ts';

/** A larger record is treated as an unclosed quote, or as an overlong line, which is emitted in pieces. */
const largestRecord = 1024 * 1024;
/** Number of broken quotes after which the rest of the file is read without quoting. */
const maxRepairs = 50;
const sniffedBytes = 64 * 1024;

const delimiters = [',', ';', '\t', '|'] as const;
type Delimiter = (typeof delimiters)[number];

/**
 * How many lines a delimiter splits into the most common number of cells, and that number. Lines without the delimiter
 * do not count.
 */
function evenness(lines: readonly string[], delimiter: Delimiter): { agreeing: number; cells: number } {
  const counts = new Map<number, number>();
  for (const line of lines) {
    const cells = line.split(delimiter).length;
    if (cells > 1) counts.set(cells, (counts.get(cells) ?? 0) + 1);
  }
  let [agreeing, cells] = [0, 1];
  for (const [size, lines] of counts) if (lines > agreeing) [agreeing, cells] = [lines, size];
  return { agreeing, cells };
}

/** The delimiter (comma, semicolon, tab or bar) that splits the first lines most evenly; comma if none does. */
export function sniffDelimiter(start: string): Delimiter {
  // Quoted cells hold no delimiter; a quote within a cell is an ordinary character.
  const unquoted = start.replace(/(^|[,;\t|\r\n])"(?:[^"]|"")*(?:"|$)/g, '$1');
  const lines = unquoted
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, 20);
  // A title may precede the records, but two lines that agree by chance are not a table.
  const needed = Math.max(lines.length / 2, Math.min(2, lines.length));
  // Commas between digits are decimal commas if another delimiter splits every line.
  const others = delimiters.slice(1).some((delimiter) => evenness(lines, delimiter).agreeing === lines.length);
  let best: Delimiter = ',';
  let bestScore = 0;
  for (const delimiter of delimiters) {
    const judged = delimiter === ',' && others ? lines.map((line) => line.replace(/\d,(?=\d)/g, '0')) : lines;
    const { agreeing, cells } = evenness(judged, delimiter);
    const score = agreeing < needed ? 0 : (agreeing / lines.length) * (1 + Math.min(cells - 1, 50) / 100);
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

/** The cells that are not empty. */
function filledCells(cells: readonly string[]): string[] {
  return cells.map((cell) => cleanText(cell).trim()).filter((cell) => cell !== '');
}

/** A part of the file that one parser reads: from a byte offset to the end, or to an unclosed quote. */
interface Pass {
  from: number;
  delimiter: string;
  quoted: boolean;
  /** Offset after the last emitted record. */
  reached: number;
  /** Whether it reached the end of the file. */
  ended: boolean;
}

/** Resolves when the stream accepts more data, or is closed. */
function takesMore(stream: Parser): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}

/** The cells of the records of one pass that are not empty. */
async function* recordsOf(
  file: SourceFile,
  report: ReportShare,
  pass: Pass,
): AsyncGenerator<string[], void, undefined> {
  const parser: Parser = parse({
    delimiter: pass.delimiter,
    quote: pass.quoted ? '"' : null,
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: largestRecord,
    record_delimiter: ['\r\n', '\n', '\r'],
    // The bytes read up to the end of the record, counted from the start of the pass, and the cells.
    on_record: (cells: string[]): string[] => [String(parser.info.bytes), ...filledCells(cells)],
  });
  const feed = async (): Promise<void> => {
    for await (const chunk of utf8Chunks(file, report, pass.from)) {
      // The chunk's memory is reused but the parser keeps what it is given, so it gets a copy.
      if (!parser.destroyed && !parser.write(Buffer.from(chunk))) await takesMore(parser);
      if (parser.destroyed) return;
    }
    parser.end();
  };
  const feeding = feed().catch((error: unknown) => {
    parser.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const [bytes, ...cells] of parser as AsyncIterable<string[]>) {
      pass.reached = pass.from + Number(bytes);
      yield cells;
    }
    pass.ended = true;
  } catch (error) {
    const code = error instanceof CsvError ? error.code : '';
    if (code === '') throw error;
    if (code !== 'CSV_QUOTE_NOT_CLOSED' && code !== 'CSV_MAX_RECORD_SIZE') throw unreadable(`CSV: ${code}`);
  } finally {
    parser.destroy();
    await feeding;
  }
}

/** The first line of a file that declares its delimiter, as in Excel. */
const delimiterLine = /^sep=([^\w\s"]|\t)\r?\n/i;

/** The start of the file: its delimiter, the offset at which its records begin, and the lines before those. */
async function lookAtStart(file: SourceFile): Promise<{ delimiter: string; from: number; lines: number }> {
  const start = await startOf(file, sniffedBytes);
  const markBytes = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
  const text = start.toString('utf8', markBytes);
  const [line = '', declared] = delimiterLine.exec(text) ?? [];
  return declared === undefined
    ? { delimiter: sniffDelimiter(text), from: markBytes, lines: 0 }
    : { delimiter: declared, from: markBytes + Buffer.byteLength(line), lines: 1 };
}

/**
 * The line at an offset, without quoting, in pieces of at most 64 KiB with the offset after each. All pieces but the
 * last end after a delimiter or a space if there is one.
 */
async function* rawLine(
  file: SourceFile,
  at: number,
  delimiter: string,
): AsyncGenerator<{ piece: string; after: number }, void, undefined> {
  const handle = await openSource(file);
  try {
    const held = Buffer.alloc(sniffedBytes);
    for (let from = at; ;) {
      const { bytesRead } = await handle.read(held, 0, sniffedBytes, from);
      const bytes = held.subarray(0, bytesRead);
      const lineFeed = bytes.indexOf(10);
      const isLast = lineFeed >= 0 || bytesRead < sniffedBytes;
      const parting = [delimiter, ' ']
        .map((sign) => bytes.lastIndexOf(sign) + 1)
        .find((place) => place > sniffedBytes / 2);
      const end = lineFeed >= 0 ? lineFeed + 1 : isLast ? bytesRead : (parting ?? bytesRead - cutOff(bytes));
      from += end;
      yield { piece: bytes.toString('utf8', 0, end).replace(/\r?\n$/, ''), after: from };
      if (isLast) return;
    }
  } finally {
    await handle.close();
  }
}

/**
 * CSV (.csv): a block for each non-empty record; the first is row 1 and blank records count. The delimiter is a comma,
 * semicolon, tab or bar, or is declared by a first line `sep=;`; quoting follows RFC 4180. An unclosed quote only
 * affects its own line. A line of more than one mebibyte becomes several blocks of the same row. The names of the
 * columns, where a row has them, are the context of the records below.
 */
export const readCsv: FormatReader = async function* (
  file: SourceFile,
  _limits: ExtractionLimits,
  report: ReportShare,
) {
  const { delimiter, from: begin, lines } = await lookAtStart(file);
  let from = begin;
  let row = lines;
  const columns = new ColumnNames();
  const blockOf = (text: string): Block => ({ text, location: { row }, group: 'records' });
  for (let repairs = 0; ; repairs++) {
    const pass: Pass = { from, delimiter, quoted: repairs < maxRepairs, reached: from, ended: false };
    for await (const cells of recordsOf(file, report, pass)) {
      row++;
      if (cells.length === 0) continue;
      const context = columns.next(row, cells);
      yield { ...blockOf(joinCells(cells)), ...(context === null ? {} : { context }) };
    }
    if (pass.ended) return;
    row++;
    for await (const { piece, after } of rawLine(file, pass.reached, delimiter)) {
      const text = joinCells(filledCells(piece.split(delimiter).map((cell) => cell.replaceAll('"', ' '))));
      if (text !== '') yield blockOf(text);
      from = after;
      report(file.bytes > 0 ? Math.min(1, after / file.bytes) : 1);
    }
  }
};

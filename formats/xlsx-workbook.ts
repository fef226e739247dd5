import type { Archive } from './archive.ts';
import type { NumberWriter } from './number-format.ts';
import { writerOfId, writeGeneral } from './number-format.ts';
import type { StringStore } from './string-store.ts';
import { createStringStore } from './string-store.ts';
import { walkWholeXml } from './xml.ts';

/** An entry of the workbook's list of sheets. */
export interface SheetEntry {
  name: string;
  relationshipId: string;
  hidden: boolean;
}

/** The workbook part: its sheets in order, and its date system. */
export interface Workbook {
  sheets: SheetEntry[];
  since1904: boolean;
}

/** Reads the workbook part (ECMA-376 part 1, 18.2). */
export async function readWorkbook(archive: Archive, part: string): Promise<Workbook> {
  const workbook: Workbook = { sheets: [], since1904: false };
  await walkWholeXml(archive.read(part), {
    open: (name, attributes) => {
      if (name === 'workbookPr') workbook.since1904 = /^(1|true|on)$/.test(attributes['date1904'] ?? '');
      if (name === 'sheet') {
        workbook.sheets.push({
          name: attributes['name'] ?? '',
          relationshipId: attributes['r:id'] ?? attributes['id'] ?? '',
          hidden: /hidden/i.test(attributes['state'] ?? ''),
        });
      }
    },
    close: () => undefined,
  });
  return workbook;
}

/** The number writers of cell styles, by the style's index (18.8). */
export async function readStyles(
  archive: Archive,
  part: string | null,
  since1904: boolean,
): Promise<(style: number) => NumberWriter> {
  const own = new Map<number, string>();
  const formats: number[] = [];
  if (part !== null) {
    let inCells = false;
    await walkWholeXml(archive.read(part), {
      open: (name, attributes) => {
        if (name === 'numFmt') own.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '');
        else if (name === 'cellXfs') inCells = true;
        else if (name === 'xf' && inCells) formats.push(Number(attributes['numFmtId'] ?? 0));
      },
      close: (name) => {
        if (name === 'cellXfs') inCells = false;
      },
    });
  }
  const writers = new Map<number, NumberWriter>();
  return (style) => {
    const id = formats[style];
    if (id === undefined) return writeGeneral;
    let writer = writers.get(id);
    if (writer === undefined) writers.set(id, (writer = writerOfId(id, own, since1904)));
    return writer;
  };
}

/** Decodes `_x000D_` and similar escapes of characters that XML cannot represent (ST_Xstring, 22.9.2.19). */
export function unescapeCharacters(text: string): string {
  return text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
}

/** Reads the shared strings; runs of rich text are joined, phonetic guides skipped (18.4). */
export async function readSharedStrings(archive: Archive, part: string | null): Promise<StringStore> {
  const store = createStringStore();
  if (part === null) return store;
  let text = '';
  let inText = false;
  let phonetic = false;
  await walkWholeXml(archive.read(part), {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 't') inText = !phonetic;
      else if (name === 'rPh') phonetic = true;
    },
    close: (name) => {
      if (name === 'si') store.add(unescapeCharacters(text));
      else if (name === 't') inText = false;
      else if (name === 'rPh') phonetic = false;
    },
    text: (piece) => {
      if (inText) text += piece;
    },
  });
  return store;
}

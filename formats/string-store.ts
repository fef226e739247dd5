import { tooComplex } from '../models/extraction-failure.ts';

const pageBytes = 1024 * 1024;
/** Larger tables of shared strings are attacks. */
const maxBytes = 256 * 1024 * 1024;

/** Stores many strings as UTF-8 in pages: a third of the memory of JavaScript strings. */
export interface StringStore {
  add(text: string): void;
  /** The string at an index, from 0; empty past the end. */
  at(index: number): string;
}

/** Creates an empty store. Adding more than 256 MiB throws `document_too_complex`. */
export function createStringStore(): StringStore {
  const pages: Buffer[] = [];
  let starts = new Float64Array(1024);
  let count = 0;
  let page = Buffer.alloc(0);
  let used = 0;
  let total = 0;
  const add = (text: string): void => {
    const needed = Buffer.byteLength(text, 'utf8');
    total += needed;
    if (total > maxBytes) throw tooComplex('the workbook has too many shared strings');
    if (used + needed + 4 > page.length) {
      page = Buffer.allocUnsafe(Math.max(pageBytes, needed + 4));
      pages.push(page);
      used = 0;
    }
    if (count === starts.length) {
      const larger = new Float64Array(starts.length * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = (pages.length - 1) * 2 ** 30 + used;
    page.writeUInt32LE(needed, used);
    page.write(text, used + 4, 'utf8');
    used += needed + 4;
  };
  const at = (index: number): string => {
    if (!(index >= 0 && index < count)) return '';
    const start = starts[index] ?? 0;
    const from = start % 2 ** 30;
    const held = pages[Math.floor(start / 2 ** 30)];
    return held === undefined ? '' : held.toString('utf8', from + 4, from + 4 + held.readUInt32LE(from));
  };
  return { add, at };
}

import type { ReadableFormat } from '../../../formats/reader.ts';

/** A family of files with `n` repetitions of something, for any `n`. */
export interface GrowingShape {
  name: string;
  format: ReadableFormat;
  build(n: number): string | Buffer;
}

/** The concatenation of `n` parts, each made from its index. */
export function many(n: number, of: (index: number) => string): string {
  return Array.from({ length: n }, (_, index) => of(index)).join('');
}

/** A text in a table of units, with JSON escapes and plain quotes. */
function unescaped(text: string): string {
  const quoted = text.replace(/\\.|"/g, (sign) => (sign === '"' ? '\\"' : sign));
  return String(JSON.parse(`"${quoted}"`));
}

/**
 * The shapes of a table of units, one per line: the repeated text, or `before … repeated … after`, with JSON escapes.
 */
export function shapesOf(
  table: string,
  format: ReadableFormat,
  wrap: (content: string) => string | Buffer = (content) => content,
): GrowingShape[] {
  return table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [before, unit, after] = line.includes('…') ? line.split('…') : ['', line, ''];
      const [start, repeated, end] = [before, unit, after].map((part) => unescaped((part ?? '').trim()));
      return { name: line, format, build: (n) => wrap(`${start}${repeated?.repeat(n)}${end}`) };
    });
}

import type { ReadableFormat } from '../../../formats/reader.ts';

/** A family of files: one with `n` repetitions of something, for any `n`. */
export interface GrowingShape {
  name: string;
  format: ReadableFormat;
  build(n: number): string | Buffer;
}

/** `n` things, each made from its index. */
export function many(n: number, of: (index: number) => string): string {
  return Array.from({ length: n }, (_, index) => of(index)).join('');
}

/** A text of a table of units, in which escapes are those of JSON and quotes are written as they are. */
function unescaped(text: string): string {
  const quoted = text.replace(/\\.|"/g, (sign) => (sign === '"' ? '\\"' : sign));
  return String(JSON.parse(`"${quoted}"`));
}

/**
 * The shapes of a table of units, a line each: what is repeated, or `before … repeated … after`. Escapes are those of
 * JSON.
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

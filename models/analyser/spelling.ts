/* Likeness of stems. What a stemmer is needed for stands apart: whoever keeps an index needs none. */

/** Maximum length of a word that is corrected, in UTF-16 code units. */
export const longestSpelled = 40;
/** Minimum length of stems that are found with two errors; nearly every word would be similar to shorter ones. */
const shortestForTwo = 6;

/** Letters and marks only: numbers and codes that differ in one character are different things. */
export const spelled = /^[\p{L}\p{M}]+$/u;

/**
 * The parts by which similar words are looked up: a word is split into two or three parts of even length, and two words
 * that differ by at most two errors share a part at nearly the same position (Li and others, Pass-Join, VLDB 2011).
 * Each part contains the word's length and the part's index. Empty for words with characters other than letters, and
 * for very long ones.
 */
export function partsOfStem(stem: string): string[] {
  if (stem.length < 3 || stem.length > longestSpelled || !spelled.test(stem)) return [];
  return cuts(stem.length).map(([start, end], index) => `${stem.length}.${index}.${stem.slice(start, end)}`);
}

/** Offsets of the parts of a word of this length, ends exclusive. */
function cuts(length: number): [start: number, end: number][] {
  const parts = length >= shortestForTwo ? 3 : 2;
  return Array.from({ length: parts }, (_, index) => [
    Math.floor((index * length) / parts),
    Math.floor(((index + 1) * length) / parts),
  ]);
}

/**
 * Where a part of an indexed word is looked for in a sought one: offsets from and to, both inclusive. Of as many parts as
 * there may be errors and one more, one is intact that has as many errors before it as parts, so that it has moved by no
 * more; and the other errors after it (multi-match-aware selection in Pass-Join). Of more parts than that, the outer ones
 * suffice. With fewer parts, words are found of which one part is intact, wherever it is.
 */
function placesOf(index: number, parts: number, start: number, moved: number, errors: number): [number, number] {
  if (parts < errors + 1) return [start - errors, start + errors];
  if (parts > errors + 1) {
    if (index === 0) return [start, start];
    return index === parts - 1 && errors > 0 ? [start + moved, start + moved] : [1, 0];
  }
  return [
    Math.max(start - index, start + moved - (errors - index)),
    Math.min(start + index, start + moved + errors - index),
  ];
}

/** The variants of a word with two adjacent letters swapped at a place where an indexed word may have a part's end. */
function swapped(word: string, errors: number): string[] {
  const places = new Set<number>();
  for (let length = Math.max(3, word.length - errors); length <= word.length + errors; length += 1) {
    for (const [start] of cuts(length).slice(1))
      for (let moved = -errors; moved <= errors; moved += 1) places.add(start - 1 + moved);
  }
  return [...places]
    .filter((at) => at >= 0 && at < word.length - 1)
    .map((at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2));
}

/** All parts, in the format of `partsOfStem`, that a word within this many errors may have. */
export function partsOfLikeness(stem: string, edits: number): string[] {
  const parts = new Set<string>();
  function add(word: string, errors: number): void {
    for (let length = Math.max(3, word.length - errors); length <= word.length + errors; length += 1) {
      const own = cuts(length);
      for (const [index, [start, end]] of own.entries()) {
        const [from, to] = placesOf(index, own.length, start, word.length - length, errors);
        for (let at = Math.max(0, from); at <= to && at + end - start <= word.length; at += 1)
          parts.add(`${length}.${index}.${word.slice(at, at + end - start)}`);
      }
    }
  }
  add(stem, edits);
  // A swap across the ends of two parts changes both, so swapped variants are looked up too.
  for (const word of swapped(stem, edits - 1)) add(word, edits - 1);
  return [...parts];
}

/**
 * Number of errors between two words: deletions, insertions, substitutions and swaps of adjacent letters (optimal
 * string alignment distance); `max + 1` if there are more than `max`. Letters are UTF-16 code units.
 */
export function errorsBetween(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      let min = Math.min(
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
      );
      if (one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        min = Math.min(min, (beforeLast[column - 2] ?? Infinity) + 1);
      line.push(min);
    }
    if (Math.min(...line) > max) return max + 1;
    beforeLast = last;
    last = line;
  }
  return Math.min(last[other.length] ?? 0, max + 1);
}

/** Whether two words of the same length differ in one letter. */
export function isLetterReplaced(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let replaced = 0;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) replaced += 1;
  return replaced === 1;
}

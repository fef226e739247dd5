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

/** The variants of a word with two adjacent letters swapped. */
function swapped(word: string): string[] {
  return Array.from(
    { length: word.length - 1 },
    (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  );
}

/** All parts, in the format of `partsOfStem`, that a word within this many errors may have. */
export function partsOfLikeness(stem: string, edits: number): string[] {
  const parts = new Set<string>();
  function add(word: string, errors: number): void {
    for (let length = Math.max(3, word.length - errors); length <= word.length + errors; length += 1) {
      for (const [index, [start, end]] of cuts(length).entries()) {
        for (
          let from = Math.max(0, start - errors);
          from <= start + errors && from + end - start <= word.length;
          from += 1
        ) {
          parts.add(`${length}.${index}.${word.slice(from, from + end - start)}`);
        }
      }
    }
  }
  add(stem, edits);
  // A swap across a boundary changes two parts, so swapped variants are looked up too.
  for (const word of swapped(stem)) add(word, edits - 1);
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

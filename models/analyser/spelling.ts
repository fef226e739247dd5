/* Likeness of stems. What a stemmer is needed for stands apart: whoever keeps an index needs none. */

/** Longest word that is looked at for typing errors, in UTF-16 code units. */
export const longestSpelled = 40;
/** Stems shorter than this are not found by two errors: nearly every word would be like them. */
const shortestForTwo = 6;

/** Letters and marks alone: numbers and codes that differ in a sign are different things. */
export const spelled = /^[\p{L}\p{M}]+$/u;

/**
 * The parts by which words like this one are looked up: a word is cut into two or three parts of even length, and of
 * words that differ by at most two errors one part stands in both nearly at the same place (Li and others, Pass-Join, VLDB
 * 2011). Each names the word's length and the part's place. None for words of other signs than letters, and very long ones.
 */
export function partsOfStem(stem: string): string[] {
  if (stem.length < 3 || stem.length > longestSpelled || !spelled.test(stem)) return [];
  return cuts(stem.length).map(([start, end], place) => `${stem.length}.${place}.${stem.slice(start, end)}`);
}

/** Where a word of this length is cut: offsets of its parts, ends exclusive. */
function cuts(length: number): [start: number, end: number][] {
  const parts = length >= shortestForTwo ? 3 : 2;
  return Array.from({ length: parts }, (_, place) => [Math.floor((place * length) / parts), Math.floor(((place + 1) * length) / parts)]);
}

/** The word with each two neighbours swapped. */
function swapped(word: string): string[] {
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2));
}

/** Every part that a word within so many errors of this one may have, as `partsOfStem` names them. */
export function partsOfLikeness(stem: string, edits: number): string[] {
  const parts = new Set<string>();
  function add(word: string, errors: number): void {
    for (let length = Math.max(3, word.length - errors); length <= word.length + errors; length += 1) {
      for (const [place, [start, end]] of cuts(length).entries()) {
        for (let from = Math.max(0, start - errors); from <= start + errors && from + end - start <= word.length; from += 1) {
          parts.add(`${length}.${place}.${word.slice(from, from + end - start)}`);
        }
      }
    }
  }
  add(stem, edits);
  // A swap at a cut breaks two parts at once: it is undone first.
  for (const word of swapped(stem)) add(word, edits - 1);
  return [...parts];
}

/**
 * Errors between two words, each letter left out, put in or put for another and each swap of neighbours counting 1
 * (optimal string alignment); `most + 1` where there are more than `most`. Letters are UTF-16 code units.
 */
export function errorsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      let least = Math.min((last[column - 1] ?? 0) + (same ? 0 : 1), (last[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1);
      if (one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) least = Math.min(least, (before[column - 2] ?? Infinity) + 1);
      line.push(least);
    }
    if (Math.min(...line) > most) return most + 1;
    before = last;
    last = line;
  }
  return Math.min(last[other.length] ?? 0, most + 1);
}

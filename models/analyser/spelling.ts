import { stemsOf } from './stemming.ts';

/** Letters of a query word from which on one typing error is allowed for, and two. */
const [lettersForOne, lettersForTwo] = [4, 8];
/** Longest word that is looked at for typing errors, in UTF-16 code units. */
const longestSpelled = 40;
/** Stems shorter than this are not found by two errors: nearly every word would be like them. */
const shortestForTwo = 6;
/** Letters from the end of a word within which an error may hide its ending from the stemmer. */
const endingLetters = 5;
const latinLetters = Array.from({ length: 26 }, (_, letter) => String.fromCharCode(0x61 + letter));

/** What a word may be a misspelling of. */
export interface Misspelling {
  /** The word's own stems: stems of the library that are like one of these are sought. */
  stems: string[];
  /** Typing errors that are allowed for: letters left out, put in, put for another, or swapped with their neighbour. */
  edits: 1 | 2;
  /** Stems of words one error away at their end, where an error keeps the stemmer from seeing the ending (`managment`). */
  forms: string[];
}

/** Letters and marks alone: numbers and codes that differ in a sign are different things. */
const spelled = /^[\p{L}\p{M}]+$/u;

/**
 * How a word that no document has may have been meant, or null for short words, numbers and codes. One error from four
 * letters, two from eight.
 */
export function misspellingOf(typed: string, stems: readonly string[], languages: readonly string[]): Misspelling | null {
  const letters = typed.match(/\p{L}/gu)?.length ?? 0;
  if (letters < lettersForOne || typed.length > longestSpelled || !spelled.test(typed)) return null;
  const forms = /^[a-z]+$/.test(typed) ? languages.flatMap((language) => formsOf(typed, language)) : [];
  return { stems: stems.filter((stem) => stem.length > 2), edits: letters < lettersForTwo ? 1 : 2, forms: [...new Set(forms)].filter((form) => !stems.includes(form)) };
}

/** Stems of the words that one error in the last letters may have been made of; none for a language without endings. */
function formsOf(typed: string, language: string): string[] {
  const stems = new Set<string>();
  for (let at = Math.max(2, typed.length - endingLetters); at <= typed.length; at += 1) {
    const [before, after] = [typed.slice(0, at), typed.slice(at)];
    const words = latinLetters.flatMap((letter) => [before + letter + after, before + letter + after.slice(1)]);
    words.push(before + after.slice(1), before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2));
    for (const word of words) {
      // A stem as long as the word is found by its likeness to the typed one.
      for (const stem of stemsOf(word, language)) if (stem.length < word.length && stem.length > 2) stems.add(stem);
    }
  }
  return [...stems];
}

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

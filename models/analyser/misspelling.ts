import { longestSpelled, spelled } from './spelling.ts';
import { stemsOf } from './stemming.ts';

/** Letters of a query word from which on one typing error is allowed for, and two. */
const [lettersForOne, lettersForTwo] = [4, 8];
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

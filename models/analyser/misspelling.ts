import { kinshipOf } from './kinship.ts';
import { errorsBetween, longestSpelled, spelled } from './spelling.ts';
import { stemsOf } from './stemming.ts';

/** Minimum letters of a query word for one typing error, and for two. */
const [lettersForOne, lettersForTwo] = [5, 8];
/** Minimum letters of stems with an error between them: too many words have a shorter one. */
const minStemLetters = 6;
/** Number of letters at the end of a word in which an error may hide the ending from the stemmer. */
const endingLetters = 5;
const latinLetters = Array.from({ length: 26 }, (_, letter) => String.fromCharCode(0x61 + letter));

/** Lookup parameters for the correct spelling of a word. */
export interface Misspelling {
  /** The word's own stems, to which similar stems of the library are sought. */
  stems: string[];
  /** Maximum typing errors: deletions, insertions, substitutions and swaps of adjacent letters. */
  edits: 1 | 2;
  /** Stems of words with one error near their end, where an error hides the ending from the stemmer (`managment`). */
  forms: string[];
}

/**
 * The lookup for a word that no document contains; null for short words, numbers and codes. Allows one error from five
 * letters on, two from eight.
 */
export function misspellingOf(
  typed: string,
  stems: readonly string[],
  languages: readonly string[],
): Misspelling | null {
  const letters = typed.match(/\p{L}/gu)?.length ?? 0;
  if (letters < lettersForOne || typed.length > longestSpelled || !spelled.test(typed)) return null;
  const forms = /^[a-z]+$/.test(typed) ? languages.flatMap((language) => formsOf(typed, language)) : [];
  return {
    stems: stems.filter((stem) => stem.length > 2),
    edits: letters < lettersForTwo ? 1 : 2,
    forms: [...new Set(forms)].filter((form) => !stems.includes(form)),
  };
}

/** The errors that two words, or two stems, may have between them: as many as the shorter one is long enough for. */
function allowedErrors(one: string, other: string, edits: number): number {
  const letters = Math.min(one.length, other.length + 1);
  return letters < lettersForOne ? 0 : Math.min(edits, letters < lettersForTwo ? 1 : 2);
}

/**
 * Whether a word of a text in a language may be the correct spelling of a typed one: it begins with the same letter,
 * and the two have at most `edits` errors between them, or their stems have and their endings are inflections of one
 * word. Both as `fold` returns them.
 */
export function isCorrection(typed: string, form: string, edits: number, language: string): boolean {
  if (typed[0] !== form[0]) return false;
  const allowed = allowedErrors(typed, form, edits);
  if (errorsBetween(typed, form, allowed) <= allowed) return true;
  const [stem = typed] = stemsOf(typed, language);
  const [other = form] = stemsOf(form, language);
  if (Math.min(stem.length, other.length) < minStemLetters) return false;
  const allowedInStems = allowedErrors(stem, other, edits);
  if (errorsBetween(stem, other, allowedInStems) > allowedInStems) return false;
  // The typed word with the stem of the other one.
  return kinshipOf([other + typed.slice(stem.length)], form, language) === 'inflected';
}

/** Stems of the words within one error in the last letters; empty for a language without endings. */
function formsOf(typed: string, language: string): string[] {
  const stems = new Set<string>();
  for (let at = Math.max(2, typed.length - endingLetters); at <= typed.length; at += 1) {
    const [before, after] = [typed.slice(0, at), typed.slice(at)];
    const words = latinLetters.flatMap((letter) => [before + letter + after, before + letter + after.slice(1)]);
    words.push(before + after.slice(1), before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2));
    for (const word of words) {
      // A stem as long as the word is found by its similarity to the typed one.
      for (const stem of stemsOf(word, language)) if (stem.length < word.length && stem.length > 2) stems.add(stem);
    }
  }
  return [...stems];
}

import { stemsOnly } from '../../models/passage-words.ts';

/** The contribution of passages to an organization's word statistics. */
export interface WordCounts {
  passages: number;
  /** Total words. */
  words: number;
  /** Number of passages that contain each stem. */
  stems: Map<string, number>;
  /** Number of passages analysed with each language's stemmer. */
  languages: Map<string, number>;
}

/** Empty counts. */
export function noWords(): WordCounts {
  return { passages: 0, words: 0, stems: new Map(), languages: new Map() };
}

/** Adds one passage to the counts, or subtracts it with `sign` -1. */
export function countWords(
  counts: WordCounts,
  passage: { stems: string; length: number; analysedAs: string },
  sign: 1 | -1,
): void {
  counts.passages += sign;
  counts.words += sign * passage.length;
  counts.languages.set(passage.analysedAs, (counts.languages.get(passage.analysedAs) ?? 0) + sign);
  if (passage.stems === '') return;
  for (const stem of new Set(stemsOnly(passage.stems).split(' ')))
    counts.stems.set(stem, (counts.stems.get(stem) ?? 0) + sign);
}

/**
 * Number of passages that contain any of a term's stems, from the counts of each stem. Exact for one stem. For several
 * it is an upper bound, their sum limited to all passages, since a passage may contain several of them.
 */
export function documentFrequency(
  countOfStem: (stem: string) => number,
  stems: readonly string[],
  passages: number,
): number {
  let sum = 0;
  for (const stem of new Set(stems)) sum += countOfStem(stem);
  return Math.min(sum, passages);
}

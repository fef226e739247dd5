/** Occurrences of whole stems in a passage's space-separated stems. A stem given twice counts once. */
export function occurrences(stems: string, wanted: readonly string[]): number {
  const padded = ` ${stems} `;
  let count = 0;
  for (const stem of new Set(wanted)) {
    const needle = ` ${stem} `;
    for (let at = padded.indexOf(needle); at !== -1; at = padded.indexOf(needle, at + needle.length - 1)) count += 1;
  }
  return count;
}

/** What passages add to an organization's word statistics. */
export interface WordCounts {
  passages: number;
  /** Words of all of them. */
  words: number;
  /** Passages holding each stem. */
  stems: Map<string, number>;
  /** Passages analysed with each language's stemmer. */
  languages: Map<string, number>;
}

/** Counts of no passages. */
export function noWords(): WordCounts {
  return { passages: 0, words: 0, stems: new Map(), languages: new Map() };
}

/** Adds one passage to the counts, or takes it away with `sign` -1. */
export function countWords(counts: WordCounts, passage: { stems: string; length: number; analysedAs: string }, sign: 1 | -1): void {
  counts.passages += sign;
  counts.words += sign * passage.length;
  counts.languages.set(passage.analysedAs, (counts.languages.get(passage.analysedAs) ?? 0) + sign);
  if (passage.stems === '') return;
  for (const stem of new Set(passage.stems.split(' '))) counts.stems.set(stem, (counts.stems.get(stem) ?? 0) + sign);
}

/**
 * Passages holding any of a term's stems, from the counts of each stem. For one stem it is exact; for several it is
 * their sum, at most all passages: the upper bound, since a passage may hold more than one of them.
 */
export function documentFrequency(countOfStem: (stem: string) => number, stems: readonly string[], passages: number): number {
  let sum = 0;
  for (const stem of new Set(stems)) sum += countOfStem(stem);
  return Math.min(sum, passages);
}

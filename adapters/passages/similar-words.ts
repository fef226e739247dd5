import { errorsBetween, partsOfLikeness } from '../../models/analyser/spelling.ts';
import type { NearWord, WordQuestion } from './port.ts';

/** Maximum words of one result. */
export const maxNearWords = 30;
/**
 * Maximum words that are examined for one question; the embedded index counts a word once for each part that it shares. In
 * a large vocabulary a few thousand share a part with it.
 */
export const maxExamined = 20_000;
/** Maximum words that are examined for one prefix. */
export const maxPrefix = 2000;

/** The keys of the indexed words to examine for a question. */
export interface Lookup {
  /** Shared parts, as returned by `partsOfStem`. */
  parts: string[];
  /** Exact stems. */
  stems: readonly string[];
  /** Ranges of stems, with exclusive bounds. */
  ranges: (readonly [after: string, before: string])[];
}

/** The lookup for the words that may answer a question. */
export function lookupOf({ stems, edits, forms, prefixes }: WordQuestion): Lookup {
  return {
    parts: edits === 0 ? [] : [...new Set(stems.flatMap((stem) => partsOfLikeness(stem, edits)))],
    stems: forms,
    ranges: prefixes.map((beginning) => [beginning, `${beginning}\u{10ffff}`]),
  };
}

/** Whether a word is within the errors of a question. */
export function isSimilar({ stems, edits }: WordQuestion, word: string): boolean {
  return stems.some((each) => errorsBetween(each, word, edits) <= edits);
}

/** Selects and orders the similar words from those that were looked up. */
export function nearest(
  { stems, edits, forms, prefixes }: WordQuestion,
  found: Iterable<{ stem: string; passages: number }>,
): NearWord[] {
  const near = new Map<string, NearWord>();
  const known = new Set(forms);
  for (const { stem, passages } of found) {
    if (passages <= 0 || stems.includes(stem) || near.has(stem)) continue;
    const begins = prefixes.some((beginning) => stem.startsWith(beginning) && stem !== beginning);
    const errors = begins
      ? 0
      : Math.min(
          known.has(stem) ? 1 : Infinity,
          ...(edits === 0 ? [] : stems.map((each) => errorsBetween(each, stem, edits))),
        );
    if (errors <= edits) near.set(stem, { stem, edits: errors, passages });
  }
  return [...near.values()]
    .sort((one, other) => one.edits - other.edits || other.passages - one.passages || (one.stem < other.stem ? -1 : 1))
    .slice(0, maxNearWords);
}

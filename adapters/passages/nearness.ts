import { errorsBetween, partsOfLikeness } from '../../models/analyser/spelling.ts';
import type { NearWord, WordQuestion } from './port.ts';

/** Words of one answer. */
export const mostNearWords = 30;
/** Words that are looked at for one question, at most: what shares a part with it, in a large vocabulary a few thousand. */
export const mostLookedAt = 20_000;
/** Words that begin alike that are looked at, at most. */
export const mostBeginning = 2000;

/** Which indexed words a question is about: they are read by these alone. */
export interface Lookup {
  /** Parts that they share, as `partsOfStem` names them. */
  parts: string[];
  /** Stems themselves. */
  stems: readonly string[];
  /** Ranges of stems, after the first and before the second. */
  ranges: (readonly [after: string, before: string])[];
}

/** Where the words that may answer a question are to be looked for. */
export function lookupOf({ stems, edits, forms, beginnings }: WordQuestion): Lookup {
  return {
    parts: edits === 0 ? [] : [...new Set(stems.flatMap((stem) => partsOfLikeness(stem, edits)))],
    stems: forms,
    ranges: beginnings.map((beginning) => [beginning, `${beginning}\u{10ffff}`]),
  };
}

/** The answer to a question from the words that were looked up, in any order. */
export function nearest({ stems, edits, forms, beginnings }: WordQuestion, found: Iterable<{ stem: string; passages: number }>): NearWord[] {
  const near = new Map<string, NearWord>();
  const known = new Set(forms);
  for (const { stem, passages } of found) {
    if (passages <= 0 || stems.includes(stem) || near.has(stem)) continue;
    const begins = beginnings.some((beginning) => stem.startsWith(beginning) && stem !== beginning);
    const errors = begins ? 0 : Math.min(known.has(stem) ? 1 : Infinity, ...(edits === 0 ? [] : stems.map((each) => errorsBetween(each, stem, edits))));
    if (errors <= edits) near.set(stem, { stem, edits: errors, passages });
  }
  return [...near.values()].sort((one, other) => one.edits - other.edits || other.passages - one.passages || (one.stem < other.stem ? -1 : 1)).slice(0, mostNearWords);
}

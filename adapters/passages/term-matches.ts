import { formsOfStem, stemsOnly } from '../../models/passage-words.ts';

/** The terms of a query that a passage contains. */
export interface TermMatches {
  /** For each term the number of occurrences of its stems. */
  frequencies: number[];
  /** As in `Candidate.positions`. */
  positions: number[];
  /** As in `Candidate.forms`. */
  forms: string[][] | null;
}

const space = 32;
/** Offsets and term numbers are sorted as one number. A query has fewer terms than this. */
const termsPerOffset = 4096;

/**
 * Finds the stems of each term in a passage's stored words. A stem that occurs twice in a term counts once. Every
 * search does this for hundreds of passages, so it makes few objects.
 */
export function matchTerms(stored: string, terms: readonly (readonly string[])[]): TermMatches {
  const stems = stemsOnly(stored);
  const areFormsKnown = stems.length !== stored.length;
  let forms: string[][] | null = null;
  const frequencies = new Array<number>(terms.length).fill(0);
  const found: number[] = [];
  for (const [number, term] of terms.entries()) {
    for (const [index, stem] of term.entries()) {
      if (stem === '' || term.indexOf(stem) !== index) continue;
      const before = found.length;
      // Searching for the stem without its spaces is faster: the engine skips ahead by its first letter.
      for (let at = stems.indexOf(stem); at !== -1; at = stems.indexOf(stem, at + stem.length))
        if (isWholeWord(stored, at, at + stem.length, stems.length)) found.push(at * termsPerOffset + number);
      if (found.length === before) continue;
      frequencies[number] = (frequencies[number] ?? 0) + found.length - before;
      if (!areFormsKnown) continue;
      forms ??= terms.map(() => []);
      forms[number]?.push(...(formsOfStem(stored, stem) ?? []));
    }
  }
  return { frequencies, positions: positionsOf(stored, found), forms };
}

/** Whether the stem from `at` to `end` stands between spaces. */
function isWholeWord(stored: string, at: number, end: number, length: number): boolean {
  return (at === 0 || stored.charCodeAt(at - 1) === space) && (end === length || stored.charCodeAt(end) === space);
}

/** Positions, as in `Candidate.positions`, of the found offsets with their terms. */
function positionsOf(stored: string, found: number[]): number[] {
  const positions: number[] = [];
  let [word, counted] = [0, 0];
  for (const each of found.sort((one, other) => one - other)) {
    const at = Math.floor(each / termsPerOffset);
    for (; counted < at; counted += 1) if (stored.charCodeAt(counted) === space) word += 1;
    positions.push(word, each % termsPerOffset);
  }
  return positions;
}

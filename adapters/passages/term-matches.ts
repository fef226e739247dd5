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

/**
 * Finds the stems of each term in a passage's stored words. A stem that occurs twice in a
 * term counts once.
 */
export function matchTerms(stored: string, terms: readonly (readonly string[])[]): TermMatches {
  const stems = stemsOnly(stored);
  const forms: string[][] | null = stems.length === stored.length ? null : terms.map(() => []);
  const found: { at: number; term: number }[] = [];
  const frequencies = terms.map((term, number) => {
    const before = found.length;
    term.forEach((stem, index) => {
      if (stem === '' || term.indexOf(stem) !== index) return;
      const places = wholeWords(stems, stem);
      for (const at of places) found.push({ at, term: number });
      if (places.length > 0) forms?.[number]?.push(...(formsOfStem(stored, stem) ?? []));
    });
    return found.length - before;
  });
  const positions: number[] = [];
  let [word, counted] = [0, 0];
  for (const { at, term } of found.sort((one, other) => one.at - other.at || one.term - other.term)) {
    for (; counted < at; counted += 1) if (stems.charCodeAt(counted) === space) word += 1;
    positions.push(word, term);
  }
  return { frequencies, positions, forms: found.length === 0 ? null : forms };
}

/** Offsets of a stem in space-separated stems. */
function wholeWords(stems: string, stem: string): number[] {
  const found: number[] = [];
  // Searching for the stem without its spaces is faster: the engine skips ahead by its first letter.
  for (let at = stems.indexOf(stem); at !== -1; at = stems.indexOf(stem, at + stem.length)) {
    const end = at + stem.length;
    if ((at === 0 || stems.charCodeAt(at - 1) === space) && (end === stems.length || stems.charCodeAt(end) === space))
      found.push(at);
  }
  return found;
}

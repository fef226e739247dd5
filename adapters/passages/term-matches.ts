/** The terms of a query that a passage contains. */
export interface TermMatches {
  /** For each term the number of occurrences of its stems. */
  frequencies: number[];
  /** As in `Candidate.positions`. */
  positions: number[];
}

const space = 32;

/**
 * Finds the stems of each term, as whole words, in a passage's space-separated stems. A stem that occurs twice in a
 * term counts once.
 */
export function matchTerms(stems: string, terms: readonly (readonly string[])[]): TermMatches {
  const found: { at: number; term: number }[] = [];
  const frequencies = terms.map((term, number) => {
    const before = found.length;
    term.forEach((stem, index) => {
      if (stem !== '' && term.indexOf(stem) === index)
        for (const at of wholeWords(stems, stem)) found.push({ at, term: number });
    });
    return found.length - before;
  });
  const positions: number[] = [];
  let [word, counted] = [0, 0];
  for (const { at, term } of found.sort((one, other) => one.at - other.at || one.term - other.term)) {
    for (; counted < at; counted += 1) if (stems.charCodeAt(counted) === space) word += 1;
    positions.push(word, term);
  }
  return { frequencies, positions };
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

/** Which words of a query a passage holds. */
export interface WordsMet {
  /** For each term the occurrences of its stems. */
  frequencies: number[];
  /** As in `Candidate.places`. */
  places: number[];
}

/**
 * For each term the occurrences of its stems, as whole words, in a passage's space-separated stems, and where they stand.
 * A stem given twice counts once.
 */
export function wordsMet(stems: string, terms: readonly (readonly string[])[]): WordsMet {
  const found: { at: number; term: number }[] = [];
  const frequencies = terms.map((term, number) => {
    const before = found.length;
    term.forEach((stem, place) => {
      if (stem !== '' && term.indexOf(stem) === place) for (const at of wholeWords(stems, stem)) found.push({ at, term: number });
    });
    return found.length - before;
  });
  const places: number[] = [];
  let [word, counted] = [0, 0];
  for (const { at, term } of found.sort((one, other) => one.at - other.at || one.term - other.term)) {
    for (; counted < at; counted += 1) if (stems.charCodeAt(counted) === space) word += 1;
    places.push(word, term);
  }
  return { frequencies, places };
}

const space = 32;

/** Where a stem begins in space-separated ones. */
function wholeWords(stems: string, stem: string): number[] {
  const found: number[] = [];
  // A search for the stem itself, without its spaces, jumps on its rarer first letter.
  for (let at = stems.indexOf(stem); at !== -1; at = stems.indexOf(stem, at + stem.length)) {
    const end = at + stem.length;
    if ((at === 0 || stems.charCodeAt(at - 1) === space) && (end === stems.length || stems.charCodeAt(end) === space)) found.push(at);
  }
  return found;
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

/** Length in words of the window within which query words count as close together. */
const windowWords = 10;
/** Maximum distance in words between two successive query words of a pair. */
const pairDistance = 5;

/** Weights of query words that are close together, by term. */
export interface ClosenessWeights {
  /**
   * Inverse document frequency times the square root of the occurrences in the query: a word typed twice counts more,
   * but not twice as much.
   */
  inWindow: readonly number[];
  /** Inverse document frequency. */
  inPair: readonly number[];
}

/** How close together the query's words are in a passage. */
export interface Closeness {
  /** Maximum total weight of distinct query words within ten words of the passage. */
  window: number;
  /** Maximum weight of two different query words at most five words apart, without a query word between them. */
  pair: number;
}

/** The closeness of a passage without query words. */
const noCloseness: Closeness = { window: 0, pair: 0 };

/** Occurrences of each term in the window; one buffer is reused for all passages. */
let counts = new Uint32Array(64);

/**
 * Computes the closeness of the query's words from their positions (see `Candidate.positions`). Terms without a weight
 * are ignored. One pass over the occurrences: each enters and leaves the window once.
 */
export function closenessOf(
  { inWindow, inPair }: ClosenessWeights,
  positions: ArrayLike<number>,
  shares?: readonly number[],
): Closeness {
  if (positions.length === 0) return noCloseness;
  const terms = inWindow.length;
  if (counts.length < terms) counts = new Uint32Array(terms);
  counts.fill(0, 0, terms);
  let [window, pair, gain, first] = [0, 0, 0, 0];
  let [before, beforePosition] = [-1, 0];
  for (let at = 0; at < positions.length; at += 2) {
    const position = positions[at] ?? 0;
    const term = positions[at + 1] ?? 0;
    if (term >= terms) continue;
    const share = shares?.[term] ?? 1;
    for (; (positions[first] ?? 0) <= position - windowWords; first += 2) {
      const leaving = positions[first + 1] ?? 0;
      if (leaving >= terms) continue;
      counts[leaving] = (counts[leaving] ?? 0) - 1;
      if (counts[leaving] === 0) gain -= (inWindow[leaving] ?? 0) * (shares?.[leaving] ?? 1);
    }
    if (counts[term] === 0) gain += (inWindow[term] ?? 0) * share;
    counts[term] = (counts[term] ?? 0) + 1;
    if (gain > window) window = gain;
    if (before >= 0 && before !== term && position - beforePosition <= pairDistance) {
      pair = Math.max(pair, (inPair[term] ?? 0) * share + (inPair[before] ?? 0) * (shares?.[before] ?? 1));
    }
    [before, beforePosition] = [term, position];
  }
  return { window, pair };
}

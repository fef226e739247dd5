/** Words of a passage within which query words count as standing together. */
const windowWords = 10;
/** Places that a query word may lie behind the one before it to be a pair with it. */
const pairDistance = 5;

/** What query words weigh where they stand together, by term. */
export interface ClosenessWeights {
  /** Inverse document frequencies, times the square roots of the occurrences in the query: a word typed twice says more, not twice as much. */
  inWindow: readonly number[];
  /** Inverse document frequencies alone. */
  inPair: readonly number[];
}

/** How close together a passage holds the words of a query. */
export interface Closeness {
  /** The most that distinct query words weigh within ten words of the passage. */
  window: number;
  /** The most that two unlike query words weigh that follow each other, at most five places apart and no query word between. */
  pair: number;
}

/** Of a passage that holds none of the words. */
const apart: Closeness = { window: 0, pair: 0 };

/** How often the window holds each term: the same numbers for one passage after the other. */
let held = new Uint32Array(64);

/**
 * Where a passage holds the query's words together, from the places of their occurrences (see `Candidate.places`). Terms
 * beyond the weights count nothing. One walk over the occurrences: each enters the window once and leaves it once.
 */
export function closenessOf({ inWindow, inPair }: ClosenessWeights, places: ArrayLike<number>, shares?: readonly number[]): Closeness {
  if (places.length === 0) return apart;
  const terms = inWindow.length;
  if (held.length < terms) held = new Uint32Array(terms);
  held.fill(0, 0, terms);
  let [window, pair, gain, first] = [0, 0, 0, 0];
  let [before, beforePlace] = [-1, 0];
  for (let at = 0; at < places.length; at += 2) {
    const place = places[at] ?? 0;
    const term = places[at + 1] ?? 0;
    if (term >= terms) continue;
    const share = shares?.[term] ?? 1;
    for (; (places[first] ?? 0) <= place - windowWords; first += 2) {
      const left = places[first + 1] ?? 0;
      if (left >= terms) continue;
      held[left] = (held[left] ?? 0) - 1;
      if (held[left] === 0) gain -= (inWindow[left] ?? 0) * (shares?.[left] ?? 1);
    }
    if (held[term] === 0) gain += (inWindow[term] ?? 0) * share;
    held[term] = (held[term] ?? 0) + 1;
    if (gain > window) window = gain;
    if (before >= 0 && before !== term && place - beforePlace <= pairDistance) {
      pair = Math.max(pair, (inPair[term] ?? 0) * share + (inPair[before] ?? 0) * (shares?.[before] ?? 1));
    }
    [before, beforePlace] = [term, place];
  }
  return { window, pair };
}

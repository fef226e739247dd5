import type { Retrieval } from '../port.ts';
import { numberOf, revisionNumberOf, ordinalOf, rowId, type Connection } from './connection.ts';
import type { Permitted } from './permitted.ts';
import { PostingList } from './posting-list.ts';
import { permittedPassages, postingsSql } from './statements.ts';
import { nthHighest, TopK } from './top-k.ts';

/** The saturation of repeated words and the normalisation by length of Okapi BM25, as in `Relevance`. */
const [saturation, normalisation] = [1.2, 0.75];
/** The weight of a word that more than half of all passages contain. */
const minWeight = 1e-6;
/** Share of the permitted passages from which on the postings that are left are worth looking for a bound. */
const boundedFrom = 0.25;
/** Passages that are looked up for each wanted one at first, if a filter restricts passages. */
const lookedUpPerWanted = 4;

/** A stem of the organization with the number of retrievable passages that contain it. */
export interface CountedStem {
  stem: string;
  passages: number;
}

/** A library: the organization's number in the file, its passages, and their words. */
interface Library {
  organization: number;
  passages: number;
  words: number;
}

/** The result of the word leg. */
export interface FoundByWords {
  /** Ids of the best passages, best first. */
  ids: number[];
  /** False for a permitted passage that certainly contains none of the stems. */
  mayContain: (id: number) => boolean;
}

interface WeighedStem extends CountedStem {
  weight: number;
}

/**
 * The word leg: the permitted passages with the highest BM25, by the statistics of the library. The postings of one stem
 * after another are added, those of the rarest first. Once a passage without the stems so far cannot reach the best any
 * more, only those that can are looked for in the postings that are left, most of which are not decoded then (H. Turtle
 * and J. Flood: Query Evaluation: Strategies and Optimizations, 1995). So the result is exact.
 */
export class WordSearch {
  readonly #connection: Connection;
  readonly #block = new PostingList();
  #sums = new Float64Array();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The best permitted passages that contain any of the stems, which are distinct. */
  best(
    { organization, passages, words }: Library,
    permitted: Permitted,
    retrieval: Pick<Retrieval, 'filter' | 'limit'>,
    stems: readonly CountedStem[],
  ): FoundByWords {
    if (stems.length === 0 || permitted.passages === 0) return { ids: [], mayContain: () => false };
    const weighed = stems
      .map((each) => ({ ...each, weight: weightOf(each.passages, passages) }))
      .sort((one, other) => other.weight - one.weight);
    if (this.#sums.length < permitted.passages) this.#sums = new Float64Array(permitted.passages * 1.5);
    const sums = this.#sums.fill(0, 0, permitted.passages);
    const norm = {
      fixed: saturation * (1 - normalisation),
      perWord: (saturation * normalisation * passages) / Math.max(1, words),
    };
    const isRestricted = permittedPassages(retrieval, []) !== null;
    let candidates: Uint32Array | null = null;
    for (const [index, { stem, weight }] of weighed.entries()) {
      if (candidates === null && !isRestricted)
        candidates = bounded(weighed.slice(index), sums, permitted, retrieval.limit);
      for (const row of this.#connection.lists(postingsSql, stem, organization)) {
        const bytes = row[2];
        if (!(bytes instanceof Uint8Array)) continue;
        if (candidates !== null && !hasCandidate(candidates, permitted, numberOf(row[0]), numberOf(row[1]))) continue;
        this.#block.clear();
        this.#block.decode(bytes);
        add(this.#block, weight * (saturation + 1), norm, permitted, sums);
      }
    }
    const found = isRestricted ? this.#restricted(sums, permitted, retrieval) : best(sums, permitted, retrieval.limit);
    return {
      ids: found,
      mayContain: (id) => candidates !== null || (sums[indexIn(permitted, id)] ?? 0) > 0,
    };
  }

  /** The best passages that the filter permits, looked up from the best downwards. */
  #restricted(sums: Float64Array, permitted: Permitted, retrieval: Pick<Retrieval, 'filter' | 'limit'>): number[] {
    const { limit } = retrieval;
    for (let taken = limit * lookedUpPerWanted; ; taken *= lookedUpPerWanted) {
      const ids = best(sums, permitted, taken);
      const statement = permittedPassages(retrieval, ids);
      if (statement === null) return ids.slice(0, limit);
      const found = this.#connection.lists(statement.sql, ...statement.values).map((row) => numberOf(row[0]));
      if (found.length >= limit || ids.length < taken) return found.slice(0, limit);
    }
  }
}

/** The weight (idf) of a stem that so many of all passages contain. */
function weightOf(containing: number, passages: number): number {
  return Math.max(minWeight, Math.log((passages - containing + 0.5) / (containing + 0.5)));
}

/**
 * The passages, by their indexes among the permitted ones, that can still be among the best when the stems that are left
 * are added; null while others can, or while it is not worth looking.
 */
function bounded(
  left: readonly WeighedStem[],
  sums: Float64Array,
  permitted: Permitted,
  limit: number,
): Uint32Array | null {
  const postings = left.reduce((sum, { passages }) => sum + passages, 0);
  if (postings < permitted.passages * boundedFrom) return null;
  const most = left.reduce((sum, { weight }) => sum + weight * (saturation + 1), 0);
  const values: number[] = [];
  for (let index = 0; index < permitted.passages; index += 1)
    if ((sums[index] ?? 0) > most) values.push(sums[index] ?? 0);
  if (values.length < limit) return null;
  const threshold = nthHighest(Float64Array.from(values), values.length, limit) - most;
  const candidates: number[] = [];
  for (let index = 0; index < permitted.passages; index += 1)
    if ((sums[index] ?? 0) > 0 && (sums[index] ?? 0) >= threshold) candidates.push(index);
  return Uint32Array.from(candidates);
}

/** Whether one of the candidates, which ascend, is between two passages. */
function hasCandidate(candidates: Uint32Array, permitted: Permitted, first: number, last: number): boolean {
  const at = firstFrom(permitted.numbers, 0, revisionNumberOf(first));
  const end = firstFrom(permitted.numbers, at, revisionNumberOf(last) + 1);
  const until = permitted.offsets[end] ?? permitted.passages;
  return (candidates[firstFrom(candidates, 0, permitted.offsets[at] ?? permitted.passages)] ?? Infinity) < until;
}

/** Adds what a stem contributes to its passages. Both lists are in the order of revision numbers. */
function add(
  { numbers, ordinals, occurrences, lengths, size }: PostingList,
  weight: number,
  norm: { fixed: number; perWord: number },
  permitted: Permitted,
  sums: Float64Array,
): void {
  const { numbers: own, counts, offsets } = permitted;
  let at = firstFrom(own, 0, numbers[0] ?? 0);
  for (let each = 0; each < size && at < own.length; each += 1) {
    const number = numbers[each] ?? 0;
    if ((own[at] ?? 0) < number) at = (own[at + 1] ?? 0) === number ? at + 1 : firstFrom(own, at + 1, number);
    const ordinal = ordinals[each] ?? 0;
    if (own[at] !== number || ordinal >= (counts[at] ?? 0)) continue;
    const passage = (offsets[at] ?? 0) + ordinal;
    const often = occurrences[each] ?? 0;
    sums[passage] =
      (sums[passage] ?? 0) + (weight * often) / (often + norm.fixed + norm.perWord * (lengths[each] ?? 0));
  }
}

/** The first index from `from` on with a number not below `wanted`, by galloping search. */
function firstFrom(numbers: Uint32Array, from: number, wanted: number): number {
  let [below, step] = [from - 1, 1];
  while (below + step < numbers.length && (numbers[below + step] ?? 0) < wanted) {
    below += step;
    step *= 2;
  }
  let above = Math.min(below + step, numbers.length);
  while (above - below > 1) {
    const middle = (below + above) >>> 1;
    if ((numbers[middle] ?? 0) < wanted) below = middle;
    else above = middle;
  }
  return above;
}

/** Index of a passage among the permitted ones; -1 if it is not permitted. */
function indexIn({ revisions }: Permitted, id: number): number {
  const revision = revisions.get(revisionNumberOf(id));
  return revision === undefined ? -1 : revision.offset + ordinalOf(id);
}

/** Ids of the passages with the highest sums, best first. */
function best(sums: Float64Array, permitted: Permitted, limit: number): number[] {
  const top = new TopK(limit);
  const { passages, offsets, numbers, revisions } = permitted;
  let at = 0;
  for (let index = 0; index < passages; index += 1) {
    const value = sums[index] ?? 0;
    if (value === 0 || value < top.threshold) continue;
    // Both ascend: advance to the revision of this passage.
    while ((offsets[at + 1] ?? passages) <= index) at += 1;
    const of = revisions.get(numbers[at] ?? 0);
    if (of !== undefined) top.add({ value, of, id: rowId(of.number, index - of.offset) });
  }
  return top.sorted().map(({ id }) => id);
}

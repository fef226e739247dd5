import { TopK } from './top-k.ts';
import { Bm25Numbers, saturation } from './bm25.ts';
import { rowId, type Connection } from './connection.ts';
import { LengthCache, type Lengths } from './length-cache.ts';
import type { Permitted } from './permitted.ts';
import { PostingsCache, type CountedStem, type Postings } from './postings-cache.ts';
import type { Version } from './versions.ts';

/** The result of the word leg. */
export interface FoundByWords {
  /** Ids of the best passages, best first. */
  ids: number[];
  /** For each permitted passage 1 if it contains any of the stems. */
  matched: Uint8Array;
}

/**
 * The word leg over cached postings: the same passages in the same order as the SQL statement (`wordLeg`), tens of
 * times as fast. The statement runs if postings do not fit, or if a search restricts passages and not only files.
 */
export class WordScan {
  readonly #held: PostingsCache;
  readonly #lengths: LengthCache;
  readonly #numbers: Bm25Numbers;
  #sums = new Float64Array();

  /** @param capacity maximum bytes of cached postings */
  constructor(connection: Connection, capacity: number) {
    this.#held = new PostingsCache(connection, capacity);
    this.#lengths = new LengthCache(connection);
    this.#numbers = new Bm25Numbers(connection);
  }

  /**
   * Ids of the best `limit` permitted passages that contain any of the stems; null if the statement must find them.
   * `stems` are distinct, in the order of the query.
   */
  best(
    organization: number,
    permitted: Permitted,
    stems: readonly CountedStem[],
    { file, retrievable }: Version,
    limit: number,
  ): FoundByWords | null {
    const all = this.#held.of(organization, stems, retrievable);
    const lengths = all === null ? null : this.#lengths.of(permitted, retrievable);
    if (all === null || lengths === null) return null;
    const { passages } = permitted;
    if (this.#sums.length < passages) this.#sums = new Float64Array(passages * 2);
    const sums = this.#sums.fill(0, 0, passages);
    // Never older than the postings, so that a word does not occur in more passages than exist.
    this.#numbers.refresh(file);
    const norms = this.#numbers.normsUpTo(lengths.longest);
    // Added in the order of FTS5, so that the sums are identical to the last digit.
    for (const postings of all)
      add(postings, this.#numbers.weightOf(postings.numbers.length), norms, permitted, lengths, sums);
    const best = new TopK(limit);
    const matched = new Uint8Array(passages);
    let at = 0;
    for (let index = 0; index < passages; index += 1) {
      const value = sums[index] ?? 0;
      if (value === 0) continue;
      matched[index] = 1;
      if (value < best.threshold) continue;
      // Both ascend: advance to the revision of this passage.
      while ((permitted.offsets[at + 1] ?? passages) <= index) at += 1;
      const of = permitted.revisions.get(permitted.numbers[at] ?? 0);
      if (of !== undefined) best.add({ value, of, id: rowId(of.number, index - of.offset) });
    }
    return { ids: best.sorted().map(({ id }) => id), matched };
  }
}

/** Both lists are in the order of revision numbers: each is read once, and galloping search skips gaps. */
function add(
  { numbers, ordinals, occurrences }: Postings,
  weight: number,
  norms: Float64Array,
  permitted: Permitted,
  { all, starts }: Lengths,
  sums: Float64Array,
): void {
  let [at, each] = [0, 0];
  while (each < numbers.length && at < permitted.numbers.length) {
    const number = numbers[each] ?? 0;
    const looked = permitted.numbers[at] ?? 0;
    if (number < looked) {
      each = leap(numbers, each, looked);
      continue;
    }
    if (number > looked) {
      at = leap(permitted.numbers, at, number);
      continue;
    }
    const ordinal = ordinals[each] ?? 0;
    if (ordinal < (permitted.counts[at] ?? 0)) {
      const passage = (permitted.offsets[at] ?? 0) + ordinal;
      const often = occurrences[each] ?? 0;
      const norm = norms[all[(starts[at] ?? 0) + ordinal] ?? 0] ?? 0;
      sums[passage] = (sums[passage] ?? 0) + weight * ((often * (saturation + 1)) / (often + norm));
    }
    each += 1;
  }
}

/** The first index after `from` with a number not below `wanted`, by galloping search. */
function leap(numbers: Uint32Array, from: number, wanted: number): number {
  let [below, step] = [from, 1];
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

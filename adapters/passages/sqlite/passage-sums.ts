import type { LengthNorm } from './block-bounds.ts';
import { ordinalOf, revisionNumberOf, rowId } from './connection.ts';
import type { Permitted } from './permitted.ts';
import type { PostingList } from './posting-list.ts';
import { TopK } from './top-k.ts';

/** Windows, at most. */
const maxWindows = 8192;

/**
 * The scores of all permitted passages while the postings of words are added. Passages are in the order of their ids,
 * and in windows of the same size, of which the highest score is known.
 */
export class PassageSums {
  #sums = new Float64Array();
  #permitted: Permitted | null = null;
  /** The window of a passage is its index, shifted by this. */
  #shift = 0;
  /** The highest score in each window. */
  highest = new Float64Array();

  /** Sets all scores to 0. */
  begin(permitted: Permitted): void {
    const { passages } = permitted;
    this.#permitted = permitted;
    if (this.#sums.length < passages) this.#sums = new Float64Array(Math.ceil(passages * 1.5));
    this.#sums.fill(0, 0, passages);
    this.#shift = Math.max(0, Math.ceil(Math.log2(passages / maxWindows)));
    this.highest = new Float64Array(Math.ceil(passages / 2 ** this.#shift));
  }

  /** The score of a permitted passage. */
  of(id: number): number {
    const at = this.#permitted?.indexOf(revisionNumberOf(id)) ?? -1;
    return at < 0 ? 0 : (this.#sums[(this.#permitted?.offsets[at] ?? 0) + ordinalOf(id)] ?? 0);
  }

  /** Adds what a word of this weight contributes. Both the postings and the permitted revisions ascend. */
  add({ numbers, ordinals, occurrences, lengths, size }: PostingList, weight: number, norm: LengthNorm): void {
    if (this.#permitted === null) return;
    const { numbers: own, counts, offsets } = this.#permitted;
    const [sums, highest, shift] = [this.#sums, this.highest, this.#shift];
    let at = firstFrom(own, 0, numbers[0] ?? 0);
    for (let each = 0; each < size && at < own.length; each += 1) {
      const number = numbers[each] ?? 0;
      if ((own[at] ?? 0) < number) at = (own[at + 1] ?? 0) === number ? at + 1 : firstFrom(own, at + 1, number);
      const ordinal = ordinals[each] ?? 0;
      if (own[at] !== number || ordinal >= (counts[at] ?? 0)) continue;
      const passage = (offsets[at] ?? 0) + ordinal;
      const often = occurrences[each] ?? 0;
      const sum = (sums[passage] ?? 0) + (weight * often) / (often + norm.fixed + norm.perWord * (lengths[each] ?? 0));
      sums[passage] = sum;
      if (sum > (highest[passage >>> shift] ?? 0)) highest[passage >>> shift] = sum;
    }
  }

  /** The first and the last window with a permitted passage from one id to another; null if there is none. */
  windowsOf(first: number, last: number): [from: number, to: number] | null {
    const [from, end] = [this.#indexFrom(first), this.#indexFrom(last + 1)];
    return from < end ? [from >>> this.#shift, (end - 1) >>> this.#shift] : null;
  }

  /** The index of the first permitted passage with an id not below `id`. */
  #indexFrom(id: number): number {
    if (this.#permitted === null) return 0;
    const { numbers, counts, offsets, passages } = this.#permitted;
    const number = revisionNumberOf(id);
    const at = firstFrom(numbers, 0, number);
    const offset = offsets[at] ?? passages;
    return numbers[at] === number ? offset + Math.min(ordinalOf(id), counts[at] ?? 0) : offset;
  }

  /** Calls `accept` for each score above 0 of a window. */
  inWindow(window: number, accept: (sum: number) => void): void {
    const end = Math.min(this.#permitted?.passages ?? 0, (window + 1) * 2 ** this.#shift);
    for (let index = window * 2 ** this.#shift; index < end; index += 1) {
      const sum = this.#sums[index] ?? 0;
      if (sum > 0) accept(sum);
    }
  }

  /** Ids of the passages with the highest scores, best first. */
  best(limit: number): number[] {
    if (this.#permitted === null) return [];
    const { passages, offsets, numbers } = this.#permitted;
    const top = new TopK(limit);
    let at = 0;
    for (const [window, highest] of this.highest.entries()) {
      if (highest === 0 || highest < top.threshold) continue;
      const end = Math.min(passages, (window + 1) * 2 ** this.#shift);
      for (let index = window * 2 ** this.#shift; index < end; index += 1) {
        const value = this.#sums[index] ?? 0;
        if (value === 0 || value < top.threshold) continue;
        // Both ascend: advance to the revision of this passage.
        while ((offsets[at + 1] ?? passages) <= index) at += 1;
        top.add({ value, id: rowId(numbers[at] ?? 0, index - (offsets[at] ?? 0)) });
      }
    }
    return top.sorted().map(({ id }) => id);
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

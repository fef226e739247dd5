/** Passages collected beyond the limit before the worst are dropped. */
const spare = 300;

/** A passage with the value that ranks it. */
export interface Valued {
  /** Higher is better. */
  value: number;
  /** Of equal values, the lower id comes first. */
  id: number;
}

function compare(one: Valued, other: Valued): number {
  return other.value - one.value || one.id - other.id;
}

/** Collects the best passages: most others are rejected by one comparison with `threshold`. */
export class TopK {
  readonly #limit: number;
  readonly #values: Float64Array;
  #kept: Valued[] = [];
  /** The lowest value that can still be among the best. */
  threshold = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
    this.#values = new Float64Array(limit + spare);
  }

  add(passage: Valued): void {
    this.#kept.push(passage);
    if (this.#kept.length < this.#limit + spare) return;
    this.#raiseThreshold();
    // Many passages may have the threshold itself.
    if (this.#kept.length >= this.#limit + spare) this.sorted();
  }

  /** The best passages in order, the best one first. */
  sorted(): readonly Valued[] {
    this.#raiseThreshold();
    this.#kept = this.#kept.sort(compare).slice(0, this.#limit);
    return this.#kept;
  }

  /** Drops passages by their value alone: selecting a number is much faster than sorting passages. */
  #raiseThreshold(): void {
    const { length } = this.#kept;
    if (length < this.#limit || this.#limit === 0) return;
    for (let index = 0; index < length; index += 1) this.#values[index] = this.#kept[index]?.value ?? 0;
    const threshold = nthHighest(this.#values, length, this.#limit);
    this.threshold = threshold;
    this.#kept = this.#kept.filter(({ value }) => value >= threshold);
  }
}

/**
 * The `rank`th highest of the first `length` values, whose order changes (C. A. R. Hoare, Algorithm 65: Find, 1961).
 */
export function nthHighest(values: Float64Array, length: number, rank: number): number {
  const target = rank - 1;
  let [from, to] = [0, length - 1];
  while (from < to) {
    const middle = values[(from + to) >>> 1] ?? 0;
    let [left, right] = [from, to];
    while (left <= right) {
      while ((values[left] ?? 0) > middle) left += 1;
      while ((values[right] ?? 0) < middle) right -= 1;
      if (left > right) break;
      const moved = values[left] ?? 0;
      values[left] = values[right] ?? 0;
      values[right] = moved;
      left += 1;
      right -= 1;
    }
    if (target <= right) to = right;
    else if (target >= left) from = left;
    else break;
  }
  return values[target] ?? 0;
}

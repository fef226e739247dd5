/** Passages that are kept beside the best ones until they are sorted out. */
const spare = 300;

/** A passage that is compared with others: its value, and what decides where values are equal. */
export interface Valued {
  /** The higher the better. */
  value: number;
  of: { assetId: string; revision: number };
  id: number;
}

/** Equal values stand in the order of the SQL statements of both legs: by asset, revision and ordinal. */
function compare(one: Valued, other: Valued): number {
  if (one.value !== other.value) return other.value - one.value;
  if (one.of.assetId !== other.of.assetId) return one.of.assetId < other.of.assetId ? -1 : 1;
  return one.of.revision - other.of.revision || one.id - other.id;
}

/** Collects the best passages: most others are turned away by one comparison with `least`. */
export class Best {
  readonly #limit: number;
  readonly #values: Float64Array;
  #kept: Valued[] = [];
  /** What a further one must reach. */
  least = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
    this.#values = new Float64Array(limit + spare);
  }

  add(passage: Valued): void {
    this.#kept.push(passage);
    if (this.#kept.length < this.#limit + spare) return;
    this.#turnAway();
    // So many have the same value.
    if (this.#kept.length >= this.#limit + spare) this.sorted();
  }

  /** The best ones, the best of them first. */
  sorted(): readonly Valued[] {
    this.#turnAway();
    this.#kept = this.#kept.sort(compare).slice(0, this.#limit);
    return this.#kept;
  }

  /** Lets go of those whose value alone is too low: numbers are looked through far sooner than passages are sorted. */
  #turnAway(): void {
    const { length } = this.#kept;
    if (length < this.#limit || this.#limit === 0) return;
    for (let place = 0; place < length; place += 1) this.#values[place] = this.#kept[place]?.value ?? 0;
    const least = highestOf(this.#values, length, this.#limit);
    this.least = least;
    this.#kept = this.#kept.filter(({ value }) => value >= least);
  }
}

/**
 * The value that has `rank` - 1 higher ones or equal ones before it among the first `length`, whose order is changed for it: each
 * step leaves the side that it cannot be on (C. A. R. Hoare, Algorithm 65: Find, 1961).
 */
export function highestOf(values: Float64Array, length: number, rank: number): number {
  const wanted = rank - 1;
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
    if (wanted <= right) to = right;
    else if (wanted >= left) from = left;
    else break;
  }
  return values[wanted] ?? 0;
}

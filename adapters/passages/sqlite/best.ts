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

  /** Lets go of those whose value alone is too low: numbers are sorted far sooner than passages. */
  #turnAway(): void {
    const { length } = this.#kept;
    if (length < this.#limit || this.#limit === 0) return;
    const values = this.#values.subarray(0, length);
    for (let place = 0; place < length; place += 1) values[place] = this.#kept[place]?.value ?? 0;
    const least = values.sort()[length - this.#limit] ?? this.least;
    this.least = least;
    this.#kept = this.#kept.filter(({ value }) => value >= least);
  }
}

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
  #kept: Valued[] = [];
  /** What a further one must reach. */
  least = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(passage: Valued): void {
    this.#kept.push(passage);
    if (this.#kept.length >= this.#limit + spare) this.sorted();
  }

  /** The best ones, the best of them first. */
  sorted(): readonly Valued[] {
    this.#kept = this.#kept.sort(compare).slice(0, this.#limit);
    if (this.#kept.length === this.#limit) this.least = this.#kept.at(-1)?.value ?? this.least;
    return this.#kept;
  }
}

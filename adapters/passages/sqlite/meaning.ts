import { Best } from './best.ts';
import { ordinalSpan, type Connection } from './connection.ts';
import { HeldVectors, isScorable, lengthOf } from './held-vectors.ts';
import type { Permitted } from './permitted.ts';

/** What the meaning leg found. */
export interface Nearest {
  /** The nearest passages, by their ids. */
  ids: readonly number[];
  /** Cosine of any passage that the search may look at, near or not; NaN where it has no vector that can be compared. */
  cosineOf(id: number): number;
}

/**
 * The meaning leg over held vectors: an exact comparison with every permitted passage, as the SQL statement does it
 * (`meaningLeg`), several times as fast.
 */
export class MeaningScan {
  readonly #held: HeldVectors;
  /** Lists whose vectors were read, as far as there was room. */
  readonly #read = new WeakSet<Permitted>();
  #cosines = new Float64Array();

  /** @param capacity bytes of the vectors that are held, at most */
  constructor(connection: Connection, capacity: number) {
    this.#held = new HeldVectors(connection, capacity);
  }

  /** Reads the vectors of what a search may look at, as far as there is room, and answers it. */
  prepare(permitted: Permitted): Permitted {
    this.#held.refresh();
    if (this.#read.has(permitted)) return permitted;
    for (const { number, count, isComparable } of permitted.revisions.values()) if (isComparable) this.#held.hold(number, count);
    this.#read.add(permitted);
    return permitted;
  }

  /** The passages nearest to a vector, `limit` of them; null where the statement must find them. */
  nearest({ revisions, passages }: Permitted, vector: Float32Array, limit: number): Nearest | null {
    const length = lengthOf(vector);
    if (!isScorable(vector.length) || !(length > 0)) return null;
    this.#held.refresh();
    this.#held.aim(vector.map((value) => value / length));
    if (this.#cosines.length < passages) this.#cosines = new Float64Array(passages * 2);
    const cosines = this.#cosines;
    const best = new Best(limit);
    for (const of of revisions.values()) {
      const { number, count, place, isComparable } = of;
      if (!isComparable) continue;
      this.#held.score(number, count, vector.length, cosines, place);
      for (let ordinal = 0; ordinal < count; ordinal += 1) {
        const value = cosines[place + ordinal] ?? Number.NaN;
        if (value >= best.least) best.add({ value, of, id: number * ordinalSpan + ordinal });
      }
    }
    return {
      ids: best.sorted().map(({ id }) => id),
      cosineOf(id) {
        const revision = revisions.get(Math.floor(id / ordinalSpan));
        const ordinal = id % ordinalSpan;
        return revision?.isComparable !== true || ordinal >= revision.count ? Number.NaN : (cosines[revision.place + ordinal] ?? Number.NaN);
      },
    };
  }
}

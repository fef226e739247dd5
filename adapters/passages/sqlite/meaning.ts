import { Best } from './best.ts';
import { ordinalSpan, type Connection } from './connection.ts';
import { HeldVectors, isScorable, lengthOf } from './held-vectors.ts';
import type { Permitted, PermittedRevision } from './permitted.ts';

/** What the meaning leg found. */
export interface Nearest {
  /** The nearest passages, by their ids. */
  ids: readonly number[];
  /** Cosine of any passage that the search may look at, near or not; NaN where it has no vector that can be compared. */
  cosineOf(id: number): number;
}

/**
 * Vectors that are not held, one in so many, at which the statement is sooner: it compares a vector in the file within a
 * third of the time that reading it for this scan takes.
 */
const oneInMissing = 4;

/** How far the vectors of a list are held. */
interface Reading {
  /** The vectors that were held when it began; others since then make it void. */
  era: number;
  /** Revisions that are still to be read, the last one first. */
  rest: PermittedRevision[];
  /** Vectors that are compared, and those of them that are not held. */
  comparable: number;
  missing: number;
}

/**
 * The meaning leg over held vectors: an exact comparison with every permitted passage, as the SQL statement does it
 * (`meaningLeg`), several times as fast.
 */
export class MeaningScan {
  readonly #held: HeldVectors;
  readonly #readings = new WeakMap<Permitted, Reading>();
  readonly #readAtOnce: number;
  #cosines = new Float64Array();

  /**
   * @param capacity bytes of the vectors that are held, at most
   * @param readAtOnce vectors after which a search reads no further ones for those that come later: none waits until all of a large library are held
   */
  constructor(connection: Connection, capacity: number, readAtOnce = 20_000) {
    this.#held = new HeldVectors(connection, capacity);
    this.#readAtOnce = readAtOnce;
  }

  /** Reads vectors of what a search may look at, as far as there is room, a part of a large list each time, and answers the list. */
  prepare(permitted: Permitted): Permitted {
    this.#held.refresh();
    const reading = this.#readingOf(permitted);
    for (let allowed = this.#readAtOnce; allowed > 0 && reading.missing > 0;) {
      const revision = reading.rest.pop();
      if (revision === undefined) break;
      const { held, read } = this.#held.hold(revision.number, revision.count);
      allowed -= read;
      reading.missing -= held;
      // Of what would not fit alone no more is looked for: the statement does it.
      if (held < revision.count && !this.#couldScan(reading)) reading.rest = [];
    }
    return permitted;
  }

  /** Whether a list would be held well enough, were no others held. */
  #couldScan({ comparable }: Reading): boolean {
    return this.#held.couldHold(Math.floor(comparable * (1 - 1 / oneInMissing)));
  }

  #readingOf(permitted: Permitted): Reading {
    const known = this.#readings.get(permitted);
    if (known?.era === this.#held.era) return known;
    const rest = [...permitted.revisions.values()].filter(({ isComparable }) => isComparable).reverse();
    const comparable = rest.reduce((sum, { count }) => sum + count, 0);
    const reading = { era: this.#held.era, rest, comparable, missing: comparable };
    this.#readings.set(permitted, reading);
    return reading;
  }

  /** The passages nearest to a vector, `limit` of them; null where the statement must find them. */
  nearest(permitted: Permitted, vector: Float32Array, limit: number): Nearest | null {
    const length = lengthOf(vector);
    if (!isScorable(vector.length) || !(length > 0)) return null;
    this.#held.refresh();
    const reading = this.#readingOf(permitted);
    if (reading.missing * oneInMissing > reading.comparable) {
      if (this.#couldScan(reading)) this.#held.miss(reading.missing);
      return null;
    }
    const { revisions, passages } = permitted;
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

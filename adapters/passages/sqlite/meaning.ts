import { Best } from './best.ts';
import { ordinalOf, revisionNumberOf, type Connection } from './connection.ts';
import { HeldVectors, isScorable, lengthOf, mostAims, type Comparison } from './held-vectors.ts';
import type { Permitted, PermittedRevision } from './permitted.ts';
import { compareRevision, compareStretch, stretchesOf, type Stretch } from './stretches.ts';

/** What the meaning leg looks for: the passages nearest to a vector, `limit` of those that are permitted. */
export interface Aim {
  permitted: Permitted;
  vector: Float32Array;
  limit: number;
}

/** What the meaning leg found. */
export interface Nearest {
  /** The nearest passages, by their ids. */
  ids: readonly number[];
  /** Cosine of any passage that the search may look at, near or not; NaN where it has no vector that can be compared. To be asked before the next scan. */
  cosineOf(id: number): number;
}

/** Searches that may share a scan. */
export const mostTogether = mostAims;

/**
 * Vectors that are not held, one in so many, at which the statement is sooner: it compares a vector in the file within a
 * third of the time that reading it for this scan takes.
 */
const oneInMissing = 4;

/** How far the vectors of a list are held. */
interface Reading {
  /** The vectors that were held when it began; others since then make it void. */
  era: number;
  /** Revisions whose vectors are of the search's model, by their numbers. */
  revisions: readonly PermittedRevision[];
  /** Those that are still to be read, the last one first. */
  rest: PermittedRevision[];
  /** Vectors that are compared, and those of them that are not held. */
  comparable: number;
  missing: number;
  /** The vectors as they lie, once all are held and were compared. */
  stretches: Stretch[] | null;
}

/**
 * The meaning leg over held vectors: an exact comparison with every permitted passage, as the SQL statement does it
 * (`meaningLeg`), several times as fast.
 */
export class MeaningScan {
  readonly #held: HeldVectors;
  readonly #readings = new WeakMap<Permitted, Reading>();
  readonly #readAtOnce: number;

  /**
   * @param capacity bytes of the vectors that are held, at most
   * @param readAtOnce vectors after which a search reads no further ones for those that come later: none waits until all of a large library are held
   */
  constructor(connection: Connection, capacity: number, readAtOnce = 20_000) {
    this.#held = new HeldVectors(connection, capacity);
    this.#readAtOnce = readAtOnce;
  }

  /** Reads vectors of what a search may look at, as far as there is room, a part of a large list each time. */
  prepare(permitted: Permitted): void {
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
  }

  /** Whether a list would be held well enough, were no others held. */
  #couldScan({ comparable }: Reading): boolean {
    return this.#held.couldHold(Math.floor(comparable * (1 - 1 / oneInMissing)));
  }

  #readingOf(permitted: Permitted): Reading {
    const known = this.#readings.get(permitted);
    if (known?.era === this.#held.era) return known;
    const revisions = [...permitted.revisions.values()].filter(({ isComparable }) => isComparable);
    const comparable = revisions.reduce((sum, { count }) => sum + count, 0);
    const reading: Reading = { era: this.#held.era, revisions, rest: revisions.toReversed(), comparable, missing: comparable, stretches: null };
    this.#readings.set(permitted, reading);
    return reading;
  }

  /**
   * The nearest passages for each of the aims, `mostTogether` at most; null for those for which the statement must find
   * them. All share one pass over the vectors: fetching these from memory takes longer than to compare them with several.
   */
  nearest(aims: readonly Aim[]): (Nearest | null)[] {
    this.#held.refresh();
    const lists = new Map<Reading, Comparison[]>();
    const comparisons = aims.map(({ permitted, vector, limit }, aim) => {
      const length = lengthOf(vector);
      if (!isScorable(vector.length) || !(length > 0)) return null;
      const reading = this.#readingOf(permitted);
      if (reading.missing * oneInMissing > reading.comparable) {
        if (this.#couldScan(reading)) this.#held.miss(reading.missing);
        return null;
      }
      this.#held.aim(aim, vector.map((value) => value / length));
      const comparison = { aim, dimensions: vector.length, best: new Best(limit) };
      const sharing = lists.get(reading);
      if (sharing === undefined) lists.set(reading, [comparison]);
      else sharing.push(comparison);
      return comparison;
    });
    const [only] = lists;
    if (only === undefined || lists.size > 1 || !this.#compareAll(...only)) {
      for (const [of, each] of together([...lists].map(([{ revisions }, own]) => ({ revisions, own })))) compareRevision(this.#held, of, each);
    }
    return comparisons.map((comparison, place) => (comparison === null ? null : this.#found(comparison, aims[place]?.permitted)));
  }

  /** Compares the vectors of a list as they lie; false where not all of them are held. */
  #compareAll(reading: Reading, own: readonly Comparison[]): boolean {
    if (reading.missing > 0) return false;
    reading.stretches ??= stretchesOf(this.#held, reading.revisions);
    if (reading.stretches === null) return false;
    for (const stretch of reading.stretches) compareStretch(this.#held, stretch, own);
    return true;
  }

  #found({ aim, dimensions, best }: Comparison, permitted: Permitted | undefined): Nearest {
    const cosines = new Map(best.sorted().map(({ id, value }) => [id, value]));
    return {
      ids: [...cosines.keys()],
      cosineOf: (id) => {
        const near = cosines.get(id);
        if (near !== undefined) return near;
        const revision = permitted?.revisions.get(revisionNumberOf(id));
        return revision?.isComparable !== true || ordinalOf(id) >= revision.count ? Number.NaN : this.#held.cosineOf(id, aim, dimensions);
      },
    };
  }
}

/** Walks lists of revisions, each by their numbers, side by side: each revision once, with all that is to be compared with it. */
function* together(lists: readonly { revisions: readonly PermittedRevision[]; own: readonly Comparison[] }[]): Generator<[PermittedRevision, readonly Comparison[]]> {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) {
    for (const of of only.revisions) yield [of, only.own];
    return;
  }
  const walks = lists.map(({ revisions, own }) => ({ revisions, own, at: 0 }));
  for (;;) {
    let next: PermittedRevision | undefined;
    for (const { revisions, at } of walks) {
      const first = revisions[at];
      if (first !== undefined && (next === undefined || first.number < next.number)) next = first;
    }
    if (next === undefined) return;
    const comparisons: Comparison[] = [];
    for (const walk of walks) {
      if (walk.revisions[walk.at]?.number !== next.number) continue;
      comparisons.push(...walk.own);
      walk.at += 1;
    }
    yield [next, comparisons];
  }
}

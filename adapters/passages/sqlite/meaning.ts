import type { Retrieval } from '../port.ts';
import { numberOf, ordinalSpan, textOf, type Connection } from './connection.ts';
import { HeldVectors, isScorable, lengthOf } from './held-vectors.ts';
import { permittedRevisions, type Statement } from './statements.ts';

/** Passages that are kept beside the nearest ones until they are sorted out. */
const spare = 300;

/** A revision that a search may look at, and where its passages' cosines are. */
interface Permitted {
  number: number;
  count: number;
  assetId: string;
  revision: number;
  place: number;
}

/** What the meaning leg found. */
export interface Nearest {
  /** The nearest passages, by their ids. */
  ids: readonly number[];
  /** Cosine of any passage that the search may look at, near or not; NaN where it has no vector that can be compared. */
  cosineOf(id: number): number;
}

/** Revisions that a search may look at, by their numbers. */
export interface Prepared {
  revisions: ReadonlyMap<number, Permitted>;
  /** Passages of them all. */
  passages: number;
}

/** Revisions in the lists that are kept, about 100 bytes each: with more of them no further list is added, all make room for it. */
const mostListed = 50_000;

/**
 * The meaning leg over held vectors: an exact comparison with every permitted passage, as the SQL statement does it
 * (`meaningLeg`), several times as fast. Searches that restrict passages and not files alone are left to the statement.
 */
export class MeaningScan {
  readonly #connection: Connection;
  readonly #held: HeldVectors;
  #cosines = new Float64Array();
  readonly #lists = new Map<string, Prepared>();
  #listed = 0;
  #version = -1;

  /** @param capacity bytes of the vectors that are held, at most */
  constructor(connection: Connection, capacity: number) {
    this.#connection = connection;
    this.#held = new HeldVectors(connection, capacity);
  }

  /**
   * Looks up what a search may look at, and reads its vectors; null where the statement must do it. Holds for this
   * snapshot; searches of one kind in a row share the list as long as the file is at the same version.
   */
  prepare(organization: number, retrieval: Retrieval, version: number): Prepared | null {
    const statement = permittedRevisions(organization, retrieval);
    if (statement === null) return null;
    this.#held.refresh();
    if (version !== this.#version) this.#forget();
    this.#version = version;
    const kind = JSON.stringify([statement.sql, statement.values]);
    const known = this.#lists.get(kind);
    if (known !== undefined) return known;
    // Only another list drives out a long one: it may be the one that all searches of a large library share.
    if (this.#listed > mostListed) this.#forget();
    const found = this.#lookUp(statement);
    this.#lists.set(kind, found);
    this.#listed += found.revisions.size + 1;
    return found;
  }

  #lookUp({ sql, values }: Statement): Prepared {
    let passages = 0;
    const revisions = new Map<number, Permitted>();
    for (const row of this.#connection.lists(sql, ...values)) {
      const [number, count] = [numberOf(row[0]), numberOf(row[1])];
      revisions.set(number, { number, count, assetId: textOf(row[2]), revision: numberOf(row[3]), place: passages });
      passages += count;
      this.#held.hold(number, count);
    }
    return { revisions, passages };
  }

  #forget(): void {
    this.#lists.clear();
    this.#listed = 0;
  }

  /** The passages nearest to a vector, `limit` of them; null where the statement must find them. */
  nearest({ revisions, passages }: Prepared, vector: Float32Array, limit: number): Nearest | null {
    const length = lengthOf(vector);
    if (!isScorable(vector.length) || !(length > 0)) return null;
    this.#held.refresh();
    this.#held.aim(vector.map((value) => value / length));
    if (this.#cosines.length < passages) this.#cosines = new Float64Array(passages * 2);
    const cosines = this.#cosines;
    const best = new Best(limit);
    for (const revision of revisions.values()) {
      const { number, count, place } = revision;
      this.#held.score(number, count, vector.length, cosines, place);
      for (let ordinal = 0; ordinal < count; ordinal += 1) {
        const cosine = cosines[place + ordinal] ?? Number.NaN;
        if (cosine >= best.least) best.add({ cosine, revision, id: number * ordinalSpan + ordinal });
      }
    }
    return {
      ids: best.sorted().map(({ id }) => id),
      cosineOf(id) {
        const revision = revisions.get(Math.floor(id / ordinalSpan));
        const ordinal = id % ordinalSpan;
        return revision === undefined || ordinal >= revision.count ? Number.NaN : (cosines[revision.place + ordinal] ?? Number.NaN);
      },
    };
  }
}

interface Near {
  cosine: number;
  revision: Permitted;
  id: number;
}

/** Equal cosines stand in the order of the statement: by asset, revision and ordinal. */
function compare(one: Near, other: Near): number {
  if (one.cosine !== other.cosine) return other.cosine - one.cosine;
  if (one.revision.assetId !== other.revision.assetId) return one.revision.assetId < other.revision.assetId ? -1 : 1;
  return one.revision.revision - other.revision.revision || one.id - other.id;
}

/** Collects the nearest ones: most others are turned away by one comparison. */
class Best {
  readonly #limit: number;
  #kept: Near[] = [];
  /** What a further one must reach. */
  least = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(near: Near): void {
    this.#kept.push(near);
    if (this.#kept.length >= this.#limit + spare) this.sorted();
  }

  sorted(): readonly Near[] {
    this.#kept = this.#kept.sort(compare).slice(0, this.#limit);
    if (this.#kept.length === this.#limit) this.least = this.#kept.at(-1)?.cosine ?? this.least;
    return this.#kept;
  }
}

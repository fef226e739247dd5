import type { Retrieval } from '../port.ts';
import { numberOf, textOf, type Connection } from './connection.ts';
import { permittedRevisions } from './statements.ts';

/** A revision that a search may look at, and where values of its passages stand in arrays of all of them. */
export interface PermittedRevision {
  number: number;
  /** Its passages have the ordinals below it. */
  count: number;
  assetId: string;
  revision: number;
  place: number;
  /** Whether its vectors are of the search's model. */
  isComparable: boolean;
}

/** What a search may look at. */
export interface Permitted {
  /** By their numbers, in this order. */
  revisions: ReadonlyMap<number, PermittedRevision>;
  /** The same in columns. */
  numbers: Uint32Array;
  counts: Uint32Array;
  places: Uint32Array;
  /** Passages of them all. */
  passages: number;
}

/** Revisions in the lists that are kept, about 100 bytes each: with more of them no further list is added, all make room for it. */
const mostListed = 50_000;
/** Characters of what a list was asked by that count as a revision: a thousand principals are long, and may see nothing. */
const charactersOfOne = 50;

/**
 * Lists of what searches may look at. Searches of one kind in a row share their list as long as nothing retrievable
 * changes.
 */
export class PermittedLists {
  readonly #connection: Connection;
  readonly #lists = new Map<string, Permitted>();
  #listed = 0;
  #version = -1;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** What this search may look at at this version of what is retrievable; null where it restricts passages and not files alone. */
  of(organization: number, retrieval: Retrieval, version: number): Permitted | null {
    if (version !== this.#version) this.#forget();
    this.#version = version;
    const { principals, filter, exceptAsset, embeddingModel } = retrieval;
    const kind = JSON.stringify([organization, principals, filter, exceptAsset, embeddingModel]);
    const known = this.#lists.get(kind);
    if (known !== undefined) return known;
    const statement = permittedRevisions(organization, retrieval);
    if (statement === null) return null;
    // Only another list drives out a long one: it may be the one that all searches of a large library share.
    if (this.#listed > mostListed) this.#forget();
    const found = inColumns(this.#connection.lists(statement.sql, ...statement.values).map((row) => ({
      number: numberOf(row[0]), count: numberOf(row[1]), assetId: textOf(row[2]), revision: numberOf(row[3]), place: 0, isComparable: row[4] === 1,
    })));
    this.#lists.set(kind, found);
    this.#listed += found.revisions.size + Math.ceil(kind.length / charactersOfOne);
    return found;
  }

  #forget(): void {
    this.#lists.clear();
    this.#listed = 0;
  }
}

function inColumns(found: PermittedRevision[]): Permitted {
  found.sort((one, other) => one.number - other.number);
  let passages = 0;
  for (const revision of found) {
    revision.place = passages;
    passages += revision.count;
  }
  return {
    revisions: new Map(found.map((revision) => [revision.number, revision])),
    numbers: Uint32Array.from(found, ({ number }) => number), counts: Uint32Array.from(found, ({ count }) => count), places: Uint32Array.from(found, ({ place }) => place),
    passages,
  };
}

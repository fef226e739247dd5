import type { Retrieval } from '../port.ts';
import { numberOf, textOf, type Connection } from './connection.ts';
import { permittedRevisions } from './statements.ts';

/** A revision that a search may read. */
export interface PermittedRevision {
  number: number;
  /** Exclusive upper bound of its passages' ordinals. */
  count: number;
  assetId: string;
  revision: number;
  /** Index of its first passage in arrays of all permitted passages. */
  offset: number;
  /** Which of its vectors have the search's model. */
  vectors: ComparableVectors;
}

/** The comparable vectors of a revision: none, those of its own model, or further ones of this model. */
export type ComparableVectors = 'none' | 'own' | { model: string };

/** The revisions that a search may read. */
export interface Permitted {
  /** In ascending order of their numbers. */
  revisions: ReadonlyMap<number, PermittedRevision>;
  /** The same in columns. */
  numbers: Uint32Array;
  counts: Uint32Array;
  offsets: Uint32Array;
  /** Total number of passages. */
  passages: number;
}

/** Size of the cache in revisions, of about 100 bytes each. */
const maxRevisions = 50_000;
/** Characters of a key that count as one revision: a thousand principals make a long key, even without results. */
const charactersPerRevision = 50;

/**
 * A reader's cache of permitted revisions, by principals and filter. It is cleared when the retrievable rows change.
 */
export class PermittedCache {
  readonly #connection: Connection;
  readonly #cache = new Map<string, Permitted>();
  #size = 0;
  #version = -1;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * The revisions that this search may read and compare by this model, at this version of the retrievable rows. A filter
   * by speaker or language is left out: it restricts their passages.
   */
  get(organization: number, retrieval: Retrieval, model: string | null, version: number): Permitted {
    if (version !== this.#version) this.#clear();
    this.#version = version;
    const { principals, exceptAsset } = retrieval;
    const { speaker: _speaker, language: _language, ...filter } = retrieval.filter;
    const key = JSON.stringify([organization, principals, filter, exceptAsset, model]);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const statement = permittedRevisions(organization, retrieval, model);
    // Checked before the insertion: one entry may be larger than the limit, and all searches of a library may share it.
    if (this.#size > maxRevisions) this.#clear();
    const permitted = inColumns(
      this.#connection.lists(statement.sql, ...statement.values).map((row) => ({
        number: numberOf(row[0]),
        count: numberOf(row[1]),
        assetId: textOf(row[2]),
        revision: numberOf(row[3]),
        offset: 0,
        vectors: comparable(row[4] === 1, row[5] === 1, model),
      })),
    );
    this.#cache.set(key, permitted);
    this.#size += permitted.revisions.size + Math.ceil(key.length / charactersPerRevision);
    return permitted;
  }

  #clear(): void {
    this.#cache.clear();
    this.#size = 0;
  }
}

function comparable(own: boolean, others: boolean, model: string | null): ComparableVectors {
  if (own || model === null) return own ? 'own' : 'none';
  return others ? { model } : 'none';
}

function inColumns(found: PermittedRevision[]): Permitted {
  found.sort((one, other) => one.number - other.number);
  let passages = 0;
  for (const revision of found) {
    revision.offset = passages;
    passages += revision.count;
  }
  return {
    revisions: new Map(found.map((revision) => [revision.number, revision])),
    numbers: Uint32Array.from(found, ({ number }) => number),
    counts: Uint32Array.from(found, ({ count }) => count),
    offsets: Uint32Array.from(found, ({ offset }) => offset),
    passages,
  };
}

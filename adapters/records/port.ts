import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import type { Json } from '../../models/json.ts';
import type { Scope } from '../../models/scope.ts';

type Scalar = string | number | boolean | null;

/**
 * What a field must be. A scalar means equality; null matches absent fields too. Several operators are joined by AND.
 */
export type Condition =
  | Scalar
  | {
      $in?: readonly Scalar[];
      $ne?: Scalar;
      $gt?: string | number;
      $gte?: string | number;
      $lt?: string | number;
      $lte?: string | number;
      /** Present and not null: null and absent are the same throughout this port. */
      $exists?: boolean;
      /** Case-insensitive substring of a string field. */
      $contains?: string;
      /** An array field that holds this scalar. */
      $has?: Scalar;
      /** An array field that holds at least one of these scalars. */
      $hasAny?: readonly Scalar[];
    };

/** Conditions by dotted field path, joined by AND. */
export type Filter = { readonly [path: string]: Condition };

/** A value to store: JSON, or an object of ours that is plain JSON. */
export type Storable = Json | object;

/** A change of one document, by dotted field path. */
export interface Change {
  set?: { readonly [path: string]: Storable };
  unset?: readonly string[];
  increment?: { readonly [path: string]: number };
  /** Appends to arrays. */
  push?: { readonly [path: string]: readonly Storable[] };
  /** Removes from arrays of objects those whose `id` is listed. */
  pullById?: { readonly [path: string]: readonly string[] };
}

/** A change of the document with an id, if it also matches a filter. */
export interface ConditionalChange {
  id: string;
  filter: Filter;
  change: Change;
}

/** Which documents, in which order, starting where. */
export interface Query {
  filter: Filter;
  /** Field paths with direction. Give a total order (end with _id) where pages matter. */
  sort?: readonly (readonly [path: string, direction: 1 | -1])[];
  limit: number;
  skip?: number;
  /** Keyset paging: the sort fields' values of the last document of the page before. All of one direction. */
  after?: readonly (string | number)[];
}

/** A field with a list of which only some values are needed. */
export interface PartsList<K extends string> {
  field: K;
  among: ReadonlySet<string>;
}

/** Fields that were picked of one document. */
export type Picked = (string | number | null)[];

/** A document with this value of a unique index exists. Decide by `name` and `index`. */
export class DuplicateRecord extends Error {
  /** Name of the index in the collection's definition; `_id` for the id. */
  readonly index: string;
  constructor(collection: string, index: string) {
    super(`${collection}: a document with this ${index} exists`);
    this.name = 'DuplicateRecord';
    this.index = index;
  }
}

/** Whether an error is a DuplicateRecord: of any unique index, or of the one that is named. */
export function isDuplicate(error: unknown, index?: string): boolean {
  return (
    error instanceof Error &&
    error.name === 'DuplicateRecord' &&
    (index === undefined || ('index' in error && error.index === index))
  );
}

/** The store does not answer, or not in time. The work may be retried. Decide by `name`. */
export class StoreUnavailable extends Error {
  constructor(store: string, options?: { cause: unknown }) {
    super(`${store} does not answer`, options);
    this.name = 'StoreUnavailable';
  }
}

/**
 * One collection, seen through a scope. With an organization's scope each filter is narrowed to it and an insert of
 * another organization's document is a programming error that throws.
 * A write has reached the disk (or the store's majority) when its promise resolves.
 */
export interface Collection<T extends StoredRecord> {
  /** @throws DuplicateRecord */
  insert(document: T): Promise<void>;
  /** Inserts those that no unique index refuses (the id or another); returns their ids. For writes with fixed ids. */
  insertNew(documents: readonly T[]): Promise<string[]>;
  get(id: string): Promise<T | null>;
  /** Those that exist, in the order of `ids`. They must not be changed: the store may share them with other readers. */
  getMany(ids: readonly string[]): Promise<Readonly<T>[]>;
  /**
   * Some fields of the documents that exist, in the order of `ids`: for checks of hundreds of documents, of which few are
   * needed whole. They must not be changed, as those of `getMany`.
   * @param list a list that is only searched for these values: of a long one, others may be missing
   */
  getParts<K extends keyof T & string>(
    ids: readonly string[],
    fields: readonly K[],
    list?: PartsList<K>,
  ): Promise<Readonly<Pick<T, K>>[]>;
  find(query: Query): Promise<T[]>;
  /**
   * A few fields of each document that `find` would return, in the order of `paths`: for walks over many documents.
   * Fields that hold texts or numbers; null if absent. It is cheap where one index holds filter, order and fields.
   */
  pick(query: Query, paths: readonly string[]): Promise<Picked[]>;
  count(filter: Filter): Promise<number>;
  /**
   * The different texts in a field of matching documents, in ascending order, behind `after` (empty: from the first).
   * Its cost grows with the texts, not with the documents, where an index holds the fields of the filter, all compared
   * for equality, and then the field.
   */
  distinct(filter: Filter, path: string, page: { after: string; limit: number }): Promise<string[]>;
  /**
   * The texts in a field whose documents have the largest sum of another field: largest first, equal ones by the text.
   * Documents without such a text do not count. Its cost, and the store's memory for it, grow with the documents.
   */
  largestSums(filter: Filter, path: string, summed: string, limit: number): Promise<[text: string, sum: number][]>;
  /** Changes the document with this id if it also matches the filter; returns it as it is now, or null. Atomic. */
  update(id: string, filter: Filter, change: Change): Promise<T | null>;
  /**
   * Makes changes of different documents, each as `update` does, in any order and with few round trips; returns how many
   * documents there were to change. It is not atomic as a whole: where the store fails, some are changed.
   */
  updateAll(changes: readonly ConditionalChange[]): Promise<number>;
  /** Inserts or replaces the whole document with this id. */
  put(document: T): Promise<void>;
  /** Removes the document with this id if it also matches the filter. */
  remove(id: string, filter?: Filter): Promise<boolean>;
  /** Removes up to `limit` matching documents; returns how many. */
  removeMany(filter: Filter, limit: number): Promise<number>;
}

/** The records store: JSON documents in collections with declared indexes. */
export interface Records {
  /** Creates collections and indexes. Call once for each collection before it is used; safe to repeat. */
  prepare(collections: readonly CollectionDefinition<StoredRecord>[]): Promise<void>;
  collection<T extends StoredRecord>(definition: CollectionDefinition<T>, scope: Scope): Collection<T>;
  /**
   * Erases removed documents from the store's own files, as far as the adapter controls them. @throws StoreUnavailable
   */
  purge(): Promise<void>;
  /** The store's time in milliseconds. Leases are measured by it, so workers' clocks need not agree. */
  time(): number;
  /** @throws StoreUnavailable */
  ping(): Promise<void>;
  close(): Promise<void>;
}

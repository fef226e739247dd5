import { defineCollection } from './collection.ts';

/**
 * Which documents and passages this version reads. It grows only with a form that the version before cannot read; fields
 * that are added as optional ones need no growth (docs/add-a-feature.md).
 */
export const knownSchema = 1;

/** The right to carry out migrations for a while. */
export interface MigrationLease {
  /** Node id of the process. */
  owner: string;
  /** One higher than the lease before; every later write is conditional on it. */
  token: number;
  /** Store time in milliseconds. */
  until: number;
}

/** What the stores hold: the one document that a start reads before it works on them. */
export interface SchemaDocument {
  _id: 'schema';
  /** What a program has to know to read the records. */
  records: number;
  /** What a program has to know to read the passages. */
  passages: number;
  /** Ids of the migrations that are done. */
  done: string[];
  /**
   * The migration under way, and the last document that it has dealt with; null before the first. `isLast` where no program
   * of an earlier version has served since it began: what is behind the last document then stays as it is.
   */
  at: { step: string; after: string | null; isLast?: boolean } | null;
  lease: MigrationLease | null;
  /** Highest token of a lease given so far. */
  token: number;
}

/** Holds the one document about the stores' form. */
export const schemaDocuments = defineCollection<SchemaDocument>({ name: 'schema', owner: 'deployment', indexes: [] });

/** The document of stores that no version has described yet: new ones, and those of the first versions. */
export const firstSchema: SchemaDocument = { _id: 'schema', records: 1, passages: 1, done: [], at: null, lease: null, token: 0 };

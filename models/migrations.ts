import { defineCollection } from './collection.ts';
import type { Lease } from './lease.ts';

/**
 * The schema versions that this program reads. Increment one only for a form that the previous program cannot read, not
 * for a new optional field (docs/add-a-feature.md).
 */
export const knownSchema = 1;

/** The schema versions of the stores: a single document that a start reads first. */
export interface SchemaDocument {
  _id: 'schema';
  /** Schema version that a program must support to read the records. */
  records: number;
  /** Schema version that a program must support to read the passages. */
  passages: number;
  /** Ids of the completed migrations. */
  done: string[];
  /**
   * The migration in progress, and the last document that it has migrated; null before the first. `isLast` if no
   * program of an earlier version has served since it began: then migrated documents need no second pass.
   */
  at: { step: string; after: string | null; isLast?: boolean } | null;
  lease: Lease | null;
  /** Highest lease token so far. */
  token: number;
}

/** Holds the single document about the schema versions. */
export const schemaDocuments = defineCollection<SchemaDocument>({ name: 'schema', owner: 'deployment', indexes: [] });

/** The document of stores without one: new stores, and those of the first versions. */
export const firstSchema: SchemaDocument = {
  _id: 'schema',
  records: 1,
  passages: 1,
  done: [],
  at: null,
  lease: null,
  token: 0,
};

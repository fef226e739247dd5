/** A stored document: JSON with an id. */
export interface StoredRecord {
  _id: string;
}

/**
 * An index over dotted field paths. Fields of a unique index that is not sparse must be present: stores differ in
 * whether two absent values are equal.
 */
export interface IndexDefinition {
  /** Stable name, used in messages and as the name in the store. */
  name: string;
  fields: readonly string[];
  unique?: boolean;
  /**
   * Documents without the LAST field, or with null in it, are not in the index, so unsetting it frees a unique key.
   * This relies only on the sparse semantics that all MongoDB-compatible servers share.
   */
  sparse?: boolean;
}

/** A collection of the records store with all its indexes. */
export interface CollectionDefinition<T extends StoredRecord> {
  name: string;
  /** `organization`: each document has an `organizationId` and is accessed through a scope. */
  owner: 'organization' | 'deployment';
  indexes: readonly IndexDefinition[];
  /**
   * Text fields that filters search with `$contains`. SQLite has a trigram index over them; MongoDB compares them
   * within the indexes that contain them.
   */
  substrings?: readonly string[];
  /**
   * Names of indexes of earlier versions to drop. In a shared store other undeclared indexes are kept: they may belong
   * to a later version that runs at the same time.
   */
  formerIndexes?: readonly string[];
  /** Type-only: holds the document type, never set. */
  readonly documentType?: T;
}

/** Declares a collection of documents of type T. */
export function defineCollection<T extends StoredRecord>(
  definition: Omit<CollectionDefinition<T>, 'documentType'>,
): CollectionDefinition<T> {
  return definition;
}

/** A stored document: JSON with an id of its own. */
export interface StoredRecord {
  _id: string;
}

/**
 * An index over dotted field paths. Those of a unique index that is not sparse are always there: stores differ in
 * whether two absent ones are equal.
 */
export interface IndexDefinition {
  /** Stable name, used in messages and as the name in the store. */
  name: string;
  fields: readonly string[];
  unique?: boolean;
  /**
   * Documents lacking (or holding null in) the LAST field are not in the index, so a unique key can be given up
   * by unsetting it. Only plain sparse semantics that MongoDB-compatible servers share are relied on.
   */
  sparse?: boolean;
}

/** A collection of the records store, with every index that the code's queries rely on. */
export interface CollectionDefinition<T extends StoredRecord> {
  name: string;
  /** `organization`: each document has an `organizationId` and is reached through a scope. */
  owner: 'organization' | 'deployment';
  indexes: readonly IndexDefinition[];
  /**
   * Names of indexes that earlier versions made and this one does not want. Where several processes share a store, no other
   * undeclared index is dropped: it may be a later version's, which serves beside this one.
   */
  formerIndexes?: readonly string[];
  /** Carries the document type; never set. */
  readonly documentType?: T;
}

/** Declares a collection of documents of type T. */
export function defineCollection<T extends StoredRecord>(definition: Omit<CollectionDefinition<T>, 'documentType'>): CollectionDefinition<T> {
  return definition;
}

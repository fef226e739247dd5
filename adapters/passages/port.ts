import type { OrganizationScope } from '../../models/scope.ts';
import type { FileAttributes, IndexedPassage, Passage, SearchFilter } from '../../models/passage.ts';

/** A query's vector. */
export interface QueryVector {
  /** Id of its embedding model: only passages with vectors of this model are compared with it. */
  model: string;
  vector: Float32Array;
}

/** Parameters of a retrieval. */
export interface Retrieval {
  /**
   * Null: open files only (no principals were sent). An array: open files and those granted to any of its members;
   * an empty array means open files only.
   */
  principals: readonly string[] | null;
  filter: SearchFilter;
  /** For each distinct query word its possible stems in the index, best first. Empty: no keyword leg. */
  terms: readonly (readonly string[])[];
  /** The query's vectors, one for each embedding model. Each is a leg of its own; none for no vector leg. */
  vectors: readonly QueryVector[];
  /** A file to exclude. */
  exceptAsset?: string;
  /** Maximum candidates of each leg. */
  limit: number;
}

/** A retrieved passage, with the values that grading needs. */
export interface Candidate {
  assetId: string;
  revision: number;
  ordinal: number;
  /** Version of the file's attributes to which the restriction was applied. */
  attributesVersion: number;
  /** Occurrences in the passage of each of the retrieval's terms, summed over the term's stems. */
  frequencies: readonly number[];
  /**
   * Positions of the terms as pairs, in the passage's order: the index of a word in the passage and the index of its
   * term. A word that matches several terms is listed once for each, the lower term first.
   */
  positions: ArrayLike<number>;
  /**
   * For each of the retrieval's terms the distinct forms in which the passage's words with its stems are written; null
   * for a passage that was indexed without them or contains no term.
   */
  forms: readonly (readonly string[])[] | null;
  /** Words in the passage. */
  length: number;
  /** Cosine with the query's vector of the passage's model; null if the retrieval has none, or the passage. */
  cosine: number | null;
  /** Id of the embedding model of `cosine`; null for none. */
  model: string | null;
  /** Language whose stemmer was used for the passage. */
  analysedAs: string;
  /** Present for a passage of a table of contents. */
  isContents?: true;
}

/** The organization's word statistics, over retrievable passages of all its files. */
export interface TermStatistics {
  passages: number;
  averageLength: number;
  /** For each of the retrieval's terms the number of passages that contain any of its stems. */
  documentFrequencies: readonly number[];
}

/** The candidates of both legs, and the statistics from which relevance is computed. */
export interface RetrievalResult {
  /** Union of both legs, each passage once, in no particular order; the same set from every adapter. */
  candidates: Candidate[];
  statistics: TermStatistics;
}

/** Parameters of a search for the files nearest to a vector. */
export type FileRetrieval = Omit<Retrieval, 'terms' | 'vectors'> & {
  vector: Float32Array;
  embeddingModel: string;
};

/** A file near a vector, represented by its nearest passage. */
export type NearFile = Pick<Candidate, 'assetId' | 'revision' | 'ordinal' | 'attributesVersion'> & { cosine: number };

/** Parameters of a search for similar indexed words. */
export interface WordQuestion {
  /** Stems to which similar ones are sought, within `edits` spelling errors. */
  stems: readonly string[];
  /** 0 for none, 1 or 2. */
  edits: number;
  /** Stems that count as one spelling error away if they are indexed. */
  forms: readonly string[];
  /** Prefixes: every longer indexed stem with such a prefix matches, without a spelling error. */
  prefixes: readonly string[];
}

/** An indexed stem that is similar to a sought one. */
export interface NearWord {
  stem: string;
  /** Spelling errors between the two; 0 for a match by prefix. */
  edits: number;
  /** Retrievable passages of the organization that contain it. */
  passages: number;
}

/** An embedding model by its id, and the size of its vectors. */
export interface VectorModel {
  id: string;
  dimensions: number;
}

/** Identifies one passage. */
export interface PassageKey {
  assetId: string;
  revision: number;
  ordinal: number;
}

/** Rows of a revision. */
export interface RevisionRows {
  /** Model of the vectors of these rows; null if none has a vector. */
  embeddingModel: string | null;
  rows: readonly IndexedPassage[];
}

/** Identity of an index, and a counter of its changes. */
export interface IndexState {
  /** Created with the index and never changed: a copy has the same identity, a rebuilt index another. */
  identity: string;
  /**
   * Increases with rows written and removed; always 0 if the adapter does not count them. An older copy has a lower
   * value.
   */
  changes: number;
}

/**
 * The keyword and vector index. Rows are keyed by asset and revision. The lifecycle of a file: `write` (any number of
 * times, in any order, repeated after a crash) stores rows that no search retrieves. `publish` makes a complete
 * revision retrievable, in addition to an earlier one; the searcher checks each hit against the records and so returns
 * only the active revision. `discard` permanently removes one revision: the one that was replaced, or one whose run was
 * cancelled or failed (revision numbers are never reused). `removeFile` removes the file.
 */
export interface Passages {
  /**
   * Stores rows. `embeddingModel` is the model of their vectors; rows of a revision with vectors of several models are
   * written by several calls. Writing an ordinal again replaces its row.
   */
  write(
    scope: OrganizationScope,
    file: { assetId: string; revision: number; embeddingModel: string | null },
    rows: readonly IndexedPassage[],
  ): Promise<void>;
  /**
   * Makes exactly the rows with ordinals below `count` of this revision retrievable and removes all others. Repeatable.
   * Rows in `last` are stored first, as by `write`, so that a small file takes one change of the index instead of two.
   */
  publish(
    scope: OrganizationScope,
    revision: number,
    count: number,
    attributes: FileAttributes,
    last?: RevisionRows,
  ): Promise<void>;
  /**
   * Replaces the file's permissions and filter attributes, unless the index has a later version. Applies to every
   * retrieval that starts afterwards.
   */
  setAttributes(scope: OrganizationScope, attributes: FileAttributes): Promise<void>;
  /**
   * Removes all rows of one revision, published or not. Repeatable. Other revisions are not touched: a later one may be
   * written concurrently.
   */
  discard(scope: OrganizationScope, assetId: string, revision: number): Promise<void>;
  removeFile(scope: OrganizationScope, assetId: string): Promise<void>;
  /**
   * Removes an organization: its files, words and counts. If the adapter controls the index's files, the removed data
   * cannot be read from them afterwards. Repeatable.
   */
  removeOrganization(scope: OrganizationScope): Promise<void>;
  retrieve(scope: OrganizationScope, retrieval: Retrieval): Promise<RetrievalResult>;
  /**
   * Up to `limit` files with the passages nearest to a vector, nearest first, each represented by one passage. While a
   * revision is being replaced, the result may contain both revisions of a file. Restricted like a retrieval.
   */
  nearestFiles(scope: OrganizationScope, retrieval: FileRetrieval): Promise<NearFile[]>;
  /** Vectors of this model for at most `maxVectors` retrievable passages of a revision, spread evenly over it. */
  vectorsOf(
    scope: OrganizationScope,
    file: { assetId: string; revision: number },
    model: VectorModel,
    maxVectors: number,
  ): Promise<Float32Array[]>;
  /** For each model whether any of the organization's retrievable passages may have a vector of it. */
  holdsVectors(scope: OrganizationScope, models: readonly VectorModel[]): Promise<boolean[]>;
  /**
   * Vectors of this model for at most `maxVectors` passages, spread over the organization's retrievable passages. They
   * may come from any of its files, so they only serve for statistics.
   */
  sampleVectors(scope: OrganizationScope, model: VectorModel, maxVectors: number): Promise<Float32Array[]>;
  /** For each stem the number of the organization's retrievable passages that contain it. */
  frequenciesOf(scope: OrganizationScope, stems: readonly string[]): Promise<number[]>;
  /**
   * For each question the organization's similar indexed words, at most 30: ordered by distance, then by descending
   * number of passages, then by stem. They may come from any of its files, so a restricted retrieval must find a word
   * before it is used. Reads only words that share a part with the sought ones, never the whole vocabulary.
   */
  nearestWords(scope: OrganizationScope, questions: readonly WordQuestion[]): Promise<NearWord[][]>;
  /** The passages with these keys, in their order; missing ones are omitted. */
  fetch(scope: OrganizationScope, keys: readonly PassageKey[]): Promise<(Passage & PassageKey)[]>;
  /** Languages of the stemmers that analysed the organization's retrievable passages. */
  languages(scope: OrganizationScope): Promise<string[]>;
  /** Number of retrievable passages of a file's revision; 0 if it is not published. */
  countOf(scope: OrganizationScope, assetId: string, revision: number): Promise<number>;
  /** Used to detect an index that was lost or replaced by an older copy. */
  state(): Promise<IndexState>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

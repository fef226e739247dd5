import type { OrganizationScope } from '../../models/scope.ts';
import type { FileAttributes, IndexedPassage, Passage, SearchFilter } from '../../models/passage.ts';

/** What a retrieval asks for. */
export interface Retrieval {
  /**
   * Null: open files only (no principals were sent). An array: open files and those granted to any of its members;
   * an empty array means open files only.
   */
  principals: readonly string[] | null;
  filter: SearchFilter;
  /** For each distinct query word the stems that it may stand as in the index, best first. Empty: no word leg. */
  terms: readonly (readonly string[])[];
  /** The query's vector, or null for no meaning leg. */
  vector: Float32Array | null;
  /** Id of the model that made `vector`; passages of another model take no part in the meaning leg. */
  embeddingModel: string | null;
  /** A file that is left out; none where it is not said. */
  exceptAsset?: string;
  /** Candidates of each leg. */
  limit: number;
}

/**
 * A retrieval whose vector may still be being computed: what needs no vector is done meanwhile. The promise must not
 * reject: null stands for a vector that could not be had.
 */
export type PendingRetrieval = Omit<Retrieval, 'vector'> & { vector: Retrieval['vector'] | Promise<Retrieval['vector']> };

/** A retrieved passage, with what grading needs. */
export interface Candidate {
  assetId: string;
  revision: number;
  ordinal: number;
  /** Version of the file's attributes that the restriction was computed from. */
  attributesVersion: number;
  /** Occurrences in the passage of each of the retrieval's terms, summed over the term's stems. */
  frequencies: readonly number[];
  /**
   * Where the terms stand: for each occurrence the number of the word in the passage, from 0, and that of the term, one after
   * the other, in the passage's order; a word of several terms stands once for each, the lower first.
   */
  places: ArrayLike<number>;
  /** Words in the passage. */
  length: number;
  /** Cosine with the query's vector; null where the passage has no vector of that model (or none was asked for). */
  cosine: number | null;
  /** Language whose stemmer was used for the passage. */
  analysedAs: string;
}

/** The organization's word statistics, over retrievable passages of all its files. */
export interface TermStatistics {
  passages: number;
  averageLength: number;
  /** Passages holding each of the retrieval's terms (any of its stems). */
  documentFrequencies: readonly number[];
}

/** What both legs found, and the statistics that a relevance is computed from. */
export interface RetrievalResult {
  /** Union of both legs, each passage once, in no particular order; the same set from every adapter. */
  candidates: Candidate[];
  statistics: TermStatistics;
}

/** What a search for files like a vector asks for. */
export type FileRetrieval = Omit<Retrieval, 'terms' | 'vector' | 'embeddingModel'> & { vector: Float32Array; embeddingModel: string };

/** A file near a vector, by the nearest of its passages. */
export type NearFile = Pick<Candidate, 'assetId' | 'revision' | 'ordinal' | 'attributesVersion'> & { cosine: number };

/** What indexed words are sought by. */
export interface WordQuestion {
  /** Stems like which others are sought, within `edits` errors of spelling. */
  stems: readonly string[];
  /** 0 for none, 1 or 2. */
  edits: number;
  /** Stems that are taken as one error away where they are indexed. */
  forms: readonly string[];
  /** Beginnings: every indexed stem that is longer and begins so is like them, without an error. */
  beginnings: readonly string[];
}

/** An indexed stem that is like the one sought. */
export interface NearWord {
  stem: string;
  /** Errors of spelling between the two; 0 for one that begins as was asked. */
  edits: number;
  /** Retrievable passages of the organization that hold it. */
  passages: number;
}

/** Names one passage. */
export interface PassageKey {
  assetId: string;
  revision: number;
  ordinal: number;
}

/** Rows of a revision, and the model of their vectors. */
export interface RevisionRows {
  embeddingModel: string | null;
  rows: readonly IndexedPassage[];
}

/** Which index this is, and how far it has come. */
export interface IndexState {
  /** Made with the index and never changed: a copy has the same, one that is made anew another. */
  identity: string;
  /** Grows with what is laid down and removed, as far as the adapter counts that; 0 for ever where it does not. An older copy has fewer. */
  changes: number;
}

/**
 * The keyword and vector index. Rows lie under asset and revision. A file's life in it:
 * `write` (any number of times, in any order, again after a crash) lays down rows that no search retrieves;
 * `publish` makes a whole revision retrievable beside the one that is (the searcher checks each hit against the
 * records and so sees exactly the active one); `discard` removes one revision for ever: the one that was replaced, or one
 * whose run was cancelled or failed (revision numbers are never used again). `removeFile` forgets the file.
 */
export interface Passages {
  /** Lays down rows. The same ordinal written twice is one row. */
  write(scope: OrganizationScope, file: { assetId: string; revision: number; embeddingModel: string | null }, rows: readonly IndexedPassage[]): Promise<void>;
  /**
   * Makes exactly the rows with ordinal below `count` of this revision retrievable (rows above it are removed). Repeatable.
   * `last` are rows that are laid down before, as by `write`: a small file then costs one change of the index, not two.
   */
  publish(scope: OrganizationScope, revision: number, count: number, attributes: FileAttributes, last?: RevisionRows): Promise<void>;
  /** Replaces what the file is restricted and filtered by, unless the index has a later version. Holds for every retrieval that starts afterwards. */
  setAttributes(scope: OrganizationScope, attributes: FileAttributes): Promise<void>;
  /**
   * Removes all rows of this one revision, published or not. Repeatable. Other revisions are not touched: a later one
   * may be being written at the same time.
   */
  discard(scope: OrganizationScope, assetId: string, revision: number): Promise<void>;
  removeFile(scope: OrganizationScope, assetId: string): Promise<void>;
  /**
   * Forgets an organization: its files, its words, and what is counted of it. What was removed is then not to be read from
   * the index's own files either, as far as the adapter has them in its hands. Repeatable.
   */
  removeOrganization(scope: OrganizationScope): Promise<void>;
  retrieve(scope: OrganizationScope, retrieval: PendingRetrieval): Promise<RetrievalResult>;
  /**
   * The files with the passages nearest to a vector, nearest first, `limit` of them, each by one passage. While a
   * revision is replaced a file is given by both. Restricted as a retrieval is.
   */
  nearestFiles(scope: OrganizationScope, retrieval: FileRetrieval): Promise<NearFile[]>;
  /** Vectors by this model of at most `most` retrievable passages of a revision, spread evenly over it. */
  vectorsOf(scope: OrganizationScope, file: { assetId: string; revision: number }, model: { id: string; dimensions: number }, most: number): Promise<Float32Array[]>;
  /** Retrievable passages of the organization that hold each of these stems. */
  frequenciesOf(scope: OrganizationScope, stems: readonly string[]): Promise<number[]>;
  /**
   * For each question the organization's indexed words that are like it: the nearest first, then those in more passages,
   * then by the stem, 30 at most. They are of all its files: before one is used, a restricted retrieval has
   * to find it. Reads only words that share a part with those sought, never all.
   */
  nearestWords(scope: OrganizationScope, questions: readonly WordQuestion[]): Promise<NearWord[][]>;
  /** The passages themselves, in the order asked for; those that are gone are left out. */
  fetch(scope: OrganizationScope, keys: readonly PassageKey[]): Promise<(Passage & PassageKey)[]>;
  /** Languages whose stemmers the organization's retrievable passages were analysed with. */
  languages(scope: OrganizationScope): Promise<string[]>;
  /** Retrievable passages of a file's revision: 0 where it is not published. */
  countOf(scope: OrganizationScope, assetId: string, revision: number): Promise<number>;
  /** By which an index that was lost, or exchanged for an older copy, is noticed. */
  state(): Promise<IndexState>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

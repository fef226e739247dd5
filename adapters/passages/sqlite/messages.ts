import type { FileAttributes, Passage } from '../../../models/passage.ts';
import type {
  FileRetrieval,
  IndexState,
  NearFile,
  NearWord,
  PassageKey,
  QueryVector,
  Retrieval,
  VectorModel,
  WordQuestion,
} from '../port.ts';

/** Rows in a message to the writer thread. */
export interface PackedRows {
  embeddingModel: string | null;
  rows: readonly Passage[];
  /** The concatenated vectors of all rows; rows without one have size 0 in `vectorSizes`. */
  vectors: Float32Array;
  /** Dimensions of each row's vector. */
  vectorSizes: Uint32Array;
}

/** A write in a message to the writer thread. */
export type Write =
  | ({ kind: 'write'; organizationId: string; assetId: string; revision: number } & PackedRows)
  | {
      kind: 'publish';
      organizationId: string;
      assetId: string;
      revision: number;
      count: number;
      attributes: FileAttributes;
      /** Rows to write first. */ last?: PackedRows | undefined;
    }
  | { kind: 'setAttributes'; organizationId: string; assetId: string; attributes: FileAttributes }
  | { kind: 'discard'; organizationId: string; assetId: string; revision: number }
  | { kind: 'removeFile'; organizationId: string; assetId: string }
  | { kind: 'removeOrganization'; organizationId: string; assetId: '' };

/** How far the word index of a file of an earlier version is made: its passages, and those of all. */
export interface Rebuilding {
  indexed: number;
  passages: number;
}

/** What the writer thread tells beside its answers: how far it is, or why runs of the word index cannot be merged. */
export type Told = Rebuilding | { failedMerge: string };

/** The passages nearest to a vector, with their cosines. */
export interface Nearest {
  ids: number[];
  cosines: number[];
}

/** The passages that the word leg found, best first. */
export interface FoundWords {
  ids: number[];
  /** The version of what can be retrieved, see `Versions`. */
  version: number;
}

/** A read in a message to a reader thread. */
export type Read =
  | {
      kind: 'retrieve';
      organizationId: string;
      retrieval: Retrieval;
      /** For each vector the nearest passages, or null where the reader must find them. */
      near: readonly (Nearest | null)[];
      /** What the word leg found meanwhile; null where the reader must run it. */
      byWords: FoundWords | null;
    }
  | { kind: 'words'; organizationId: string; retrieval: Retrieval }
  | { kind: 'nearest'; organizationId: string; retrieval: Retrieval; query: QueryVector }
  /** Both legs, for the thread that compares vectors. */
  | { kind: 'whole'; organizationId: string; retrieval: Retrieval }
  | { kind: 'nearestWords'; organizationId: string; questions: readonly WordQuestion[] }
  | { kind: 'fetch'; organizationId: string; keys: readonly PassageKey[] }
  | { kind: 'nearestFiles'; organizationId: string; retrieval: FileRetrieval }
  | {
      kind: 'vectorsOf';
      organizationId: string;
      assetId: string;
      revision: number;
      model: VectorModel;
      limit: number;
    }
  | { kind: 'holdsVectors'; organizationId: string; models: readonly VectorModel[] }
  | { kind: 'sampleVectors'; organizationId: string; model: VectorModel; limit: number }
  | { kind: 'frequenciesOf'; organizationId: string; stems: readonly string[] }
  | { kind: 'languages'; organizationId: string }
  | { kind: 'countOf'; organizationId: string; assetId: string; revision: number }
  | { kind: 'state' }
  | { kind: 'forget' }
  | { kind: 'ping' };

/** The options of the writer thread. */
export interface WriterSetup {
  /** Path of the passages file. */
  path: string;
  /** The identity of a new file. */
  identity: string;
  /** A new UUID: see `recordOpening`. */
  opening: string;
}

/** The options of a reader thread. */
export interface ReaderSetup {
  /** Path of the passages file. */
  path: string;
  /** Maximum memory for codes of vectors; 0 for a thread that compares none. */
  vectorBytes: number;
  /** Folder of the files of codes. */
  codesFolder: string;
}

/** A message to a reader thread. */
export interface ReaderMessage {
  id: number;
  read: Read | 'close';
}

/** The result of a retrieval in columns: numbers are transferred as one array. */
export interface PackedRetrieval {
  /** Distinct assets and languages of the candidates. */
  assetIds: string[];
  languages: string[];
  /**
   * For each candidate: revision, ordinal, attributesVersion, length, cosine (NaN for none), indexes of its asset and
   * language, the number of its `positions`, the index of the vector of its cosine, the number of its `formsOfTerms`,
   * and 1 for a table of contents.
   */
  numbers: Float64Array<ArrayBuffer>;
  /**
   * Positions of the terms, candidate by candidate; frequencies are counted from them.
   */
  positions: Int32Array<ArrayBuffer>;
  /** Distinct texts in lines: the forms of one term in one candidate, separated by spaces. */
  forms: string;
  /** Pairs of a term and the index of its forms, candidate by candidate. */
  formsOfTerms: Int32Array<ArrayBuffer>;
  passages: number;
  averageLength: number;
  documentFrequencies: number[];
}

/** The result of a read, by kind. */
export type ReadAnswer =
  | PackedRetrieval
  | FoundWords
  | Nearest
  | NearWord[][]
  | (Passage & PassageKey)[]
  | NearFile[]
  | Float32Array[]
  | IndexState
  | number[]
  | string[]
  | boolean[]
  | number
  | null;

/** An error in a thread, as plain data. `unavailable`: a disk or lock error that may be retried. */
export interface Failure {
  message: string;
  unavailable: boolean;
}

/** A response of a thread: one message may settle many writes. */
export type Answers<T> = { id: number; value: T | null; failure: Failure | null }[];

/** Numbers per packed candidate. */
export const packedWidth = 11;

import type { FileAttributes, Passage } from '../../../models/passage.ts';
import type {
  FileRetrieval,
  IndexState,
  NearFile,
  NearWord,
  PassageKey,
  Retrieval,
  VectorModel,
  WordQuestion,
} from '../port.ts';

/** Rows as they go to the writer thread. */
export interface PackedRows {
  embeddingModel: string | null;
  rows: readonly Passage[];
  /** The vectors of all rows one after the other; rows without one have size 0 in `vectorSizes`. */
  vectors: Float32Array;
  /** Numbers of each row's vector. */
  vectorSizes: Uint32Array;
}

/** A write as it goes to the writer thread. */
export type Write =
  | ({ kind: 'write'; organizationId: string; assetId: string; revision: number } & PackedRows)
  | {
      kind: 'publish';
      organizationId: string;
      assetId: string;
      revision: number;
      count: number;
      attributes: FileAttributes;
      /** Rows to lay down before. */ last?: PackedRows | undefined;
    }
  | { kind: 'setAttributes'; organizationId: string; assetId: string; attributes: FileAttributes }
  | { kind: 'discard'; organizationId: string; assetId: string; revision: number }
  | { kind: 'removeFile'; organizationId: string; assetId: string }
  | { kind: 'removeOrganization'; organizationId: string; assetId: '' };

/** A question as it goes to a reader thread. */
export type Read =
  | { kind: 'retrieve'; organizationId: string; retrieval: Retrieval }
  | { kind: 'nearestWords'; organizationId: string; questions: readonly WordQuestion[] }
  | { kind: 'fetch'; organizationId: string; keys: readonly PassageKey[] }
  | { kind: 'nearestFiles'; organizationId: string; retrieval: FileRetrieval }
  | {
      kind: 'vectorsOf';
      organizationId: string;
      assetId: string;
      revision: number;
      model: VectorModel;
      most: number;
    }
  | { kind: 'holdsVectors'; organizationId: string; models: readonly VectorModel[] }
  | { kind: 'sampleVectors'; organizationId: string; model: VectorModel; most: number }
  | { kind: 'frequenciesOf'; organizationId: string; stems: readonly string[] }
  | { kind: 'languages'; organizationId: string }
  | { kind: 'countOf'; organizationId: string; assetId: string; revision: number }
  | { kind: 'state' }
  | { kind: 'ping' };

/** What the writing thread is started with. */
export interface WriterSetup {
  /** The passages' file. */
  path: string;
  /** The identity that a file gets which has none. */
  identity: string;
}

/** What a reader thread is started with. */
export interface ReaderSetup {
  /** The passages' file. */
  path: string;
  /** Memory for vectors, at most. */
  vectorBytes: number;
}

/** A message to a reader thread. */
export interface ReaderMessage {
  id: number;
  read: Read | 'close';
}

/** The answer to a retrieval in columns: numbers travel as one transferred array. */
export interface PackedRetrieval {
  /** Assets and languages of the candidates, each once. */
  assetIds: string[];
  languages: string[];
  /**
   * For each candidate: revision, ordinal, attributesVersion, length, cosine (NaN for none), indexes of its asset and
   * language, how many of `positions` are its own, the index of the vector that its cosine is of, and how many of
   * `formsOfTerms` are its own.
   */
  numbers: Float64Array<ArrayBuffer>;
  /**
   * Where the terms stand in the candidates, one candidate's after the other's; how often they do is counted from it.
   */
  positions: Int32Array<ArrayBuffer>;
  /** The forms of one term in one candidate, separated by spaces; each text once. */
  forms: string[];
  /** Pairs of a term and the index of its forms, one candidate's after the other's. */
  formsOfTerms: Int32Array<ArrayBuffer>;
  passages: number;
  averageLength: number;
  documentFrequencies: number[];
}

/** What a reader answers, by the question's kind. */
export type ReadAnswer =
  | PackedRetrieval
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

/** Failure of a thread's work, as plain data. `unavailable`: the disk or the file's lock, to be tried again. */
export interface Failure {
  message: string;
  unavailable: boolean;
}

/** What threads answer: one message may settle many writes. */
export type Answers<T> = { id: number; value: T | null; failure: Failure | null }[];

/** Numbers of a packed candidate. */
export const packedWidth = 10;

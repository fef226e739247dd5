import type { Tokeniser } from './manifest.ts';

/** The options of an embedding thread. */
export interface Setup {
  /** Folder with model.onnx and the vocabulary. */
  folder: string;
  tokeniser: Tokeniser;
  dimensions: number;
  /** Maximum tokens of a text. */
  maxTokens: number;
  /** Whether it embeds queries only: then it keeps its normal priority. */
  isForQueries?: boolean;
}

/** A message to a thread: a text to embed, or the request to end once it is idle. */
export type Order = { kind: 'text'; id: number; text: string } | { kind: 'end' };

/** The thread has loaded its model. */
export interface Ready {
  kind: 'ready';
}

/** The vector of a text. */
export interface Vector {
  kind: 'vector';
  id: number;
  vector: Float32Array;
}

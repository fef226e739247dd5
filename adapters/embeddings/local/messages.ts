import type { Tokeniser } from './manifest.ts';

/** What an embedding thread is started with. */
export interface Setup {
  /** Folder with model.onnx and the vocabulary. */
  folder: string;
  tokeniser: Tokeniser;
  dimensions: number;
  /** Word pieces read of a text. */
  maxTokens: number;
  /** Whether somebody waits for its results: then it keeps its normal priority. */
  isForQueries?: boolean;
}

/** A message to a thread: a text to embed, or the request to end when nothing runs. */
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

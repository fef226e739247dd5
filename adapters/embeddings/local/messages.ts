/** What an embedding thread is started with. */
export interface Setup {
  /** Folder with model.onnx and vocab.txt. */
  folder: string;
  dimensions: number;
  /** Word pieces read of a text. */
  maxTokens: number;
}

/** A text to embed, or the wish that the thread end when nothing runs. */
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

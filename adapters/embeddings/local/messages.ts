/** What an embedding thread is started with. */
export interface Setup {
  /** Folder with model.onnx and vocab.txt. */
  folder: string;
  dimensions: number;
  /** Word pieces read of a text. */
  maxTokens: number;
  /** Somebody waits for what the thread does: it does not step back behind requests. */
  isForQueries?: boolean;
}

/** A text to embed: of those that wait in a thread it takes queries first. */
export interface TextOrder {
  kind: 'text';
  id: number;
  text: string;
  purpose: 'query' | 'passage';
}

/** What a thread is told: a text, or the wish that it end when nothing runs. */
export type Order = TextOrder | { kind: 'end' };

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

/** A model that turns text into vectors. */
export interface EmbeddingModel {
  /** Fixes what vectors mean: vectors of unlike ids never meet in one index. Made of name, variant and content digest. */
  id: string;
  dimensions: number;
  /** Languages (primary subtags) that it knows; null for a model declared multilingual. */
  languages: readonly string[] | null;
}

/** The model does not answer. The work may be tried again. Decide by `name`. */
export class ModelUnavailable extends Error {
  constructor(detail: string, options?: { cause: unknown }) {
    super(detail, options);
    this.name = 'ModelUnavailable';
  }
}

/** The model behind search by meaning, wherever it runs. */
export interface Embeddings {
  /** Null where no model is installed: then search goes by words alone. */
  readonly model: EmbeddingModel | null;
  /** Why there is no model and what mends it; null where there is one. */
  readonly absence: string | null;
  /**
   * Unit vectors, one for each text, in order. A text's vector does not depend on its neighbours. Queries go before
   * waiting passages. A model that does one text after the other serves owners (organizations) in turns: the few texts of
   * one do not wait behind the many of another. @throws ModelUnavailable
   */
  embed(texts: readonly string[], purpose: 'query' | 'passage', owner?: string): Promise<Float32Array[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

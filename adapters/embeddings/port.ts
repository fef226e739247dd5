/** A model that turns text into vectors. */
export interface EmbeddingModel {
  /**
   * Identifies the vector space: vectors of different ids are never compared. Consists of name, variant and content
   * digest.
   */
  id: string;
  dimensions: number;
  /** Supported languages (primary subtags); null for a multilingual model. */
  languages: readonly string[] | null;
}

/** The model is unavailable. The work may be retried. Identify it by `name`. */
export class ModelUnavailable extends Error {
  constructor(detail: string, options?: { cause: unknown }) {
    super(detail, options);
    this.name = 'ModelUnavailable';
  }
}

/** The embedding model for search by meaning, local or remote. */
export interface Embeddings {
  /** Null if no model is installed; then searches use words only. */
  readonly model: EmbeddingModel | null;
  /** Why there is no model and how to install one; null if there is one. */
  readonly absence: string | null;
  /**
   * Unit vectors, one for each text, in order. A text's vector does not depend on the other texts; with some models it
   * depends on the purpose. Queries precede queued passages. A model that processes texts one by one serves owners (organizations) in turns, so that a few
   * texts of one do not wait for many of another.
   * @throws ModelUnavailable
   */
  embed(texts: readonly string[], purpose: 'query' | 'passage', owner?: string): Promise<Float32Array[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

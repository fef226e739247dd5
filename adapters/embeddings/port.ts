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
  /** Why there is no model, or not every configured one, and how to install it; null if nothing is missing. */
  readonly absence: string | null;
  /** Models for languages that this one does not know, preferred first; absent if there are none. */
  readonly further?: readonly Embeddings[];
  /**
   * Unit vectors, one for each text, in order. A text's vector does not depend on the other texts; with some models it
   * depends on the purpose. Queries precede queued passages. A model that processes texts one by one serves owners
   * (organizations) in turns, so that a few texts of one do not wait for many of another.
   * @throws ModelUnavailable
   */
  embed(texts: readonly string[], purpose: 'query' | 'passage', owner?: string): Promise<Float32Array[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** An installed model. */
export type InstalledModel = Pick<Embeddings, 'embed'> & { readonly model: EmbeddingModel };

/** The models, preferred first; empty if none is installed. */
export function modelsOf(embeddings: Pick<Embeddings, 'model' | 'embed' | 'further'>): readonly InstalledModel[] {
  return [embeddings, ...(embeddings.further ?? [])].flatMap(({ model, embed }) =>
    model === null ? [] : [{ model, embed }],
  );
}

/** Identifies the models that new files are embedded with, in their order; null if none is installed. */
export function embeddingId(embeddings: Pick<Embeddings, 'model' | 'embed' | 'further'>): string | null {
  const ids = modelsOf(embeddings).map(({ model }) => model.id);
  return ids.length === 0 ? null : ids.join('+');
}

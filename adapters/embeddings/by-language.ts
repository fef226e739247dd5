import type { Embeddings } from './port.ts';

/**
 * Several models as one: the first, and further ones for languages that it does not know. `absence` describes what is
 * missing besides.
 */
export function embeddingsByLanguage(
  first: Embeddings,
  further: readonly Embeddings[],
  absence: string | null,
): Embeddings {
  const all = [first, ...further];
  return {
    get model() {
      return first.model;
    },
    absence,
    further,
    embed: (texts, purpose, owner) => first.embed(texts, purpose, owner),
    async ping() {
      await Promise.all(all.map(async (each) => each.ping()));
    },
    async close() {
      await Promise.all(all.map(async (each) => each.close()));
    },
  };
}

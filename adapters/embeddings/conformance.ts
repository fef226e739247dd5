import type { Embeddings } from './port.ts';

/** An adapter under test. */
export interface EmbeddingsUnderTest {
  embeddings: Embeddings;
  /** Releases the other resources of the test; the suite closes the adapter. */
  dispose(): Promise<void>;
}

const sentences = [
  'The cat sleeps on the sofa.',
  'Interest rates were raised by the central bank.',
  'A kitten is taking a nap on the couch.',
  '',
  'Ein Satz in einer anderen Sprache, mit Umlauten: Häuser, Gärten, Übung.',
  `${'a long text about pumps and valves '.repeat(400)}end`,
  '学校へ行く \u0000 \ud800 😀',
];

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

function largestDifference(one: Float32Array, other: Float32Array): number {
  return one.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (other[index] ?? Number.NaN))), 0);
}

/** The tests that every adapter of the embeddings port must pass. `open` is called once for each test. */
export function embeddingsConformance(name: string, open: () => Promise<EmbeddingsUnderTest>): void {
  describe(`embeddings: ${name}`, () => {
    let opened: EmbeddingsUnderTest;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.embeddings.close();
      await opened.dispose();
    });

    it('reports its model', () => {
      const { model, absence } = opened.embeddings;
      expect(absence).toBeNull();
      expect(model?.id).toMatch(/^[\x21-\x7e]{3,200}$/);
      expect(model?.dimensions).toBeGreaterThan(0);
    });

    it('returns a unit vector with the dimensions of the model for each text, in order', async () => {
      const { embeddings } = opened;
      const vectors = await embeddings.embed(sentences, 'passage');
      expect(vectors).toHaveLength(sentences.length);
      for (const vector of vectors) {
        expect(vector).toHaveLength(embeddings.model?.dimensions ?? -1);
        expect(lengthOf(vector)).toBeCloseTo(1, 3);
      }
      const backwards = (await embeddings.embed([...sentences].reverse(), 'passage')).reverse();
      vectors.forEach((vector, index) =>
        expect(largestDifference(vector, backwards[index] ?? new Float32Array())).toBeLessThan(1e-6),
      );
    });

    it('embeds a text the same in any batch', async () => {
      const { embeddings } = opened;
      const together = await embeddings.embed(sentences, 'passage');
      const alone = await Promise.all(
        sentences.map(async (sentence) => (await embeddings.embed([sentence], 'passage'))[0]),
      );
      together.forEach((vector, index) =>
        expect(largestDifference(vector, alone[index] ?? new Float32Array())).toBeLessThan(1e-6),
      );
    });

    it('returns no vectors for an empty batch, and all vectors of a large batch', async () => {
      const { embeddings } = opened;
      expect(await embeddings.embed([], 'passage')).toEqual([]);
      const many = Array.from({ length: 150 }, (_, index) => `text number ${index}`);
      expect(await embeddings.embed(many, 'passage')).toHaveLength(150);
    });

    it('responds to ping when ready, and rejects texts after close', async () => {
      const { embeddings } = opened;
      await embeddings.embed(['warm'], 'query');
      await expect(embeddings.ping()).resolves.toBeUndefined();
      await embeddings.close();
      await expect(embeddings.embed(['late'], 'query')).rejects.toMatchObject({ name: 'ModelUnavailable' });
    });
  });
}

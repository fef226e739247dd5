import { lifeTests } from './conformance-life.ts';
import { restrictionTests } from './conformance-restriction.ts';
import { removalTests } from './conformance-removal.ts';
import { scoringTests } from './conformance-scoring.ts';
import { likenessTests } from './conformance-likeness.ts';
import { isolationTests } from './conformance-isolation.ts';
import { modelTests } from './conformance-models.ts';
import { wordTests } from './conformance-words.ts';
import type { OpenPassages } from './conformance-data.ts';

/**
 * Registers the tests that every passage index must pass. `open` returns an index; each test uses organizations of its
 * own.
 */
export function passagesConformance(name: string, open: () => Promise<OpenPassages>): void {
  describe(`passages: ${name}`, () => {
    let opened: OpenPassages;
    beforeAll(async () => {
      opened = await open();
    }, 120_000);
    afterAll(() => opened.stop());
    const passages = (): OpenPassages['passages'] => opened.passages;

    lifeTests(passages);
    removalTests(passages);
    restrictionTests(passages);
    scoringTests(passages);
    isolationTests(passages);
    wordTests(passages);
    likenessTests(passages);
    modelTests(passages);

    it('returns a stable identity, and a counter of changes that never decreases', async () => {
      const [first, second] = [await opened.passages.state(), await opened.passages.state()];
      expect(first.identity).not.toBe('');
      expect(second.identity).toBe(first.identity);
      expect(second.changes).toBeGreaterThanOrEqual(first.changes);
    });

    it('responds to ping', async () => {
      await expect(opened.passages.ping()).resolves.toBeUndefined();
    });
  });
}

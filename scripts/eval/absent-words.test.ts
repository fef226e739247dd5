import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Passages } from '../../adapters/passages/port.ts';
import { openSqlitePassages } from '../../adapters/passages/sqlite/sqlite.ts';
import { shippedRelevance } from '../../models/relevance/registry.ts';
import { systemRuntime } from '../../models/runtime.ts';
import {
  hasCollections,
  indexTexts,
  mixedLibrary,
  searchWord,
  shareOf,
  usualFolder,
  wordLanguages,
  type Shown,
  type WordQuery,
} from './absent-words.ts';

/** Words of each language that the library lacks, and those of which it has another inflection. */
const [absentWords, inflectedWords] = [300, 100];
/**
 * Shares of the words of a language, at most and at least. Measured with 300 words: up to 2.3, up to 8.3, and 84
 * percent or more.
 */
const [maxHigh, maxShown, minInflected] = [0.03, 0.1, 0.75];

const isReady = hasCollections(usualFolder);
if (!isReady)
  process.stderr.write(`SKIPPED: words that a library lacks, because the collections are not in ${usualFolder}\n`);

(isReady ? describe : describe.skip)('a search for one word in a library of six languages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-absent-words-'));
  const [model] = shippedRelevance();
  const library = isReady ? mixedLibrary(usualFolder, absentWords) : null;
  let passages: Passages;
  beforeAll(async () => {
    passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
    await indexTexts(passages, library?.texts ?? []);
  }, 600_000);
  afterAll(async () => {
    await passages.close();
    rmSync(folder, { recursive: true });
  });

  async function search(queries: readonly WordQuery[] = []): Promise<Shown[]> {
    if (model === undefined) throw new Error('no relevance file is shipped');
    const shown: Shown[] = [];
    for (const query of queries) shown.push(await searchWord(passages, model, query));
    return shown;
  }

  it.each(wordLanguages)(
    'that it lacks (%s) seldom brings another word, and hardly ever with high confidence',
    async (language) => {
      const shown = await search(library?.absent.get(language));
      expect(shown).toHaveLength(absentWords);
      expect(shareOf(shown, ({ isOther, confidence }) => isOther && confidence === 'high')).toBeLessThanOrEqual(
        maxHigh,
      );
      expect(shareOf(shown, ({ isOther }) => isOther)).toBeLessThanOrEqual(maxShown);
    },
    600_000,
  );

  it.each(wordLanguages)(
    'of which it has another inflection (%s) finds it',
    async (language) => {
      const shown = await search(library?.inflected.get(language)?.slice(0, inflectedWords));
      expect(shown).toHaveLength(inflectedWords);
      expect(shareOf(shown, ({ kin }) => kin !== null)).toBeGreaterThanOrEqual(minInflected);
    },
    600_000,
  );
});

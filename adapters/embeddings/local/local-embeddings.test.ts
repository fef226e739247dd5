import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { absentEmbeddings } from '../absent.ts';
import { embeddingsConformance } from '../conformance.ts';
import { convertModel } from './convert.ts';
import { openLocalEmbeddings } from './local-embeddings.ts';
import { writeSmallModel } from './test-model.ts';

const models = join(import.meta.dirname, '../../../.cache/models');
const folder = process.env['PLY_TEST_EMBEDDING_MODEL'] ?? join(models, 'all-MiniLM-L6-v2');
const multilingual = process.env['PLY_TEST_MULTILINGUAL_MODEL'] ?? join(models, 'multilingual-e5-small');
const log = { info: () => undefined, warn: () => undefined };

async function openModel(from = folder) {
  return { embeddings: await openLocalEmbeddings({ folder: from, threads: 2, log }), dispose: () => Promise.resolve() };
}

const cosine = (one: ArrayLike<number>, two: ArrayLike<number>): number =>
  Array.from(one).reduce((sum, value, index) => sum + value * (two[index] ?? 0), 0);

if (existsSync(join(folder, 'model.json'))) {
  embeddingsConformance('local model', () => openModel());

  describe('the local model', () => {
    it('responds to ping when ready, and has an id derived from its content', async () => {
      const { embeddings } = await openModel();
      try {
        await expect(embeddings.ping()).rejects.toMatchObject({ name: 'ModelUnavailable' });
        await embeddings.embed(['warm'], 'query');
        await expect(embeddings.ping()).resolves.toBeUndefined();
        expect(embeddings.model).toMatchObject({
          id: expect.stringMatching(/^all-MiniLM-L6-v2:int8:[0-9a-f]{12}$/),
          dimensions: 384,
          languages: ['en'],
        });
      } finally {
        await embeddings.close();
      }
    });

    it('ranks a paraphrase above an unrelated sentence', async () => {
      const { embeddings } = await openModel();
      try {
        const [question = [], answer = [], other = []] = await embeddings.embed(
          [
            'How are broken pumps repaired?',
            'Fixing a defective pump: replace the seal first.',
            'The orchestra plays on Friday.',
          ],
          'query',
        );
        expect(cosine(question, answer)).toBeGreaterThan(0.5);
        expect(cosine(question, other)).toBeLessThan(0.2);
      } finally {
        await embeddings.close();
      }
    });
  });
} else {
  console.warn(`SKIPPED: the local embedding model, because there is none in ${folder}`);
  it.skip(`the local embedding model (none in ${folder})`, () => undefined);
}

if (existsSync(join(multilingual, 'model.json'))) {
  embeddingsConformance('local multilingual model', () => openModel(multilingual));

  describe('the local multilingual model', () => {
    it('has an id derived from its content, and embeds queries and passages differently', async () => {
      const { embeddings } = await openModel(multilingual);
      try {
        expect(embeddings.model).toEqual({
          id: 'multilingual-e5-small:int8:18285669998e',
          dimensions: 384,
          languages: null,
        });
        const text = ['How do I reset my password?'];
        const [[asQuery = []], [asPassage = []]] = await Promise.all([
          embeddings.embed(text, 'query'),
          embeddings.embed(text, 'passage'),
        ]);
        expect(cosine(asQuery, asPassage)).toBeGreaterThan(0.8);
        expect(cosine(asQuery, asPassage)).toBeLessThan(0.995);
      } finally {
        await embeddings.close();
      }
    });

    it('ranks paraphrases first across languages and scripts', async () => {
      const { embeddings } = await openModel(multilingual);
      try {
        const passages = await embeddings.embed(
          [
            'Defekte Pumpen werden repariert, indem man zuerst die Dichtung ersetzt.',
            'أصلح المضخة المعطلة باستبدال الحشية أولاً.',
            'Das Orchester spielt am Freitag im Konzerthaus.',
            'تعزف الأوركسترا يوم الجمعة.',
          ],
          'passage',
        );
        for (const query of ['How are broken pumps repaired?', 'Как чинят сломанные насосы?', '如何修理坏了的水泵？']) {
          const [vector = []] = await embeddings.embed([query], 'query');
          const [german = 0, arabic = 0, ...others] = passages.map((passage) => cosine(passage, vector));
          expect(Math.min(german, arabic)).toBeGreaterThan(Math.max(...others));
        }
      } finally {
        await embeddings.close();
      }
    });
  });
} else {
  console.warn(`SKIPPED: the local multilingual model, because there is none in ${multilingual}`);
  it.skip(`the local multilingual model (none in ${multilingual})`, () => undefined);
}

describe('a model with random weights', () => {
  it('fails the check with the known sentences', async () => {
    const work = await mkdtemp(join(tmpdir(), 'ply-model-'));
    await writeSmallModel(join(work, 'source'));
    await convertModel(join(work, 'source'), join(work, 'model'), 'fp32');
    const embeddings = await openLocalEmbeddings({ folder: join(work, 'model'), threads: 1, log });
    try {
      await expect(embeddings.embed(['text'], 'query')).rejects.toMatchObject({
        name: 'ModelUnavailable',
        message: expect.stringContaining('not usable'),
      });
      await expect(embeddings.ping()).rejects.toMatchObject({ name: 'ModelUnavailable' });
    } finally {
      await embeddings.close();
      await rm(work, { recursive: true, force: true });
    }
  });
});

describe('an absent model', () => {
  it('reports the reason, and rejects texts', async () => {
    const embeddings = absentEmbeddings('nothing was fetched');
    expect([embeddings.model, embeddings.absence]).toEqual([null, 'nothing was fetched']);
    await expect(embeddings.embed(['text'], 'query')).rejects.toMatchObject({ name: 'ModelUnavailable' });
    await expect(embeddings.ping()).resolves.toBeUndefined();
  });
});

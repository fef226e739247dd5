import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { openLocalEmbeddings } from '../../embeddings/local/local-embeddings.ts';
import { attributes, newScope, passage, retrieval } from '../conformance-data.ts';
import { openSqlitePassages } from './sqlite.ts';

const root = join(import.meta.dirname, '../../..');
const folder = process.env['PLY_TEST_EMBEDDING_MODEL'] ?? join(root, '.cache/models/all-MiniLM-L6-v2');
const log = { info: () => undefined, warn: () => undefined };
/** Sentences that are indexed, those that are sought, and the nearest ones that must be found. */
const [indexed, sought, nearest] = [1200, 40, 50];
/** Words from which on a line counts as a sentence. */
const minWords = 6;

/** Sentences of the project's documentation. */
function sentences(): string[] {
  const docs = join(root, 'docs');
  const texts = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => readFileSync(join(docs, name), 'utf8'));
  const found = texts.flatMap((text) => text.split(/[.|\n]+\s/)).map((text) => text.trim().replaceAll(/\s+/g, ' '));
  return [...new Set(found.filter((text) => /^[A-Z]/.test(text) && text.split(' ').length >= minWords))];
}

const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

if (existsSync(join(folder, 'model.json'))) {
  it('finds at least 98 of 100 of the exact nearest 50 of real vectors, of all files, 30 percent and 1 percent', async () => {
    const all = sentences();
    const embeddings = await openLocalEmbeddings({ folder, threads: 2, log });
    const data = mkdtempSync(join(tmpdir(), 'ply-recall-'));
    const passages = await openSqlitePassages({ folder: data, runtime: systemRuntime, readerThreads: 1 });
    try {
      const vectors = await embeddings.embed(all.slice(0, indexed), 'passage');
      const queries = await embeddings.embed(all.slice(-sought), 'query');
      const embeddingModel = embeddings.model?.id ?? '';
      const scope = newScope();
      const principalsOf = (file: number): string[] => [
        'all',
        ...(file % 10 < 3 ? ['some'] : []),
        ...(file % 100 === 0 ? ['few'] : []),
      ];
      await Promise.all(
        vectors.map((vector, file) =>
          passages.publish(
            scope,
            1,
            1,
            attributes(`file-${file}`, { aclMode: 'restricted', principals: principalsOf(file) }),
            { embeddingModel, rows: [passage(0, 'word', { vector })] },
          ),
        ),
      );
      for (const principal of ['all', 'some', 'few']) {
        let [found, expected] = [0, 0];
        for (const vector of queries) {
          const { candidates } = await passages.retrieve(
            scope,
            retrieval({
              principals: [principal],
              terms: [],
              vectors: [{ model: embeddingModel, vector }],
              limit: nearest,
            }),
          );
          const exact = vectors
            .map((own, file) => ({ assetId: `file-${file}`, cosine: dot(own, vector), principals: principalsOf(file) }))
            .filter(({ principals }) => principals.includes(principal))
            .sort((one, other) => other.cosine - one.cosine)
            .slice(0, nearest);
          const own = new Set(candidates.map(({ assetId }) => assetId));
          expected += exact.length;
          found += exact.filter(({ assetId }) => own.has(assetId)).length;
        }
        expect(found / expected).toBeGreaterThanOrEqual(0.98);
      }
    } finally {
      await Promise.all([passages.close(), embeddings.close()]);
      rmSync(data, { recursive: true });
    }
  });
} else {
  console.warn(`SKIPPED: how many of the nearest passages are found, because there is no model in ${folder}`);
  it.skip(`finds the nearest of real vectors (no model in ${folder})`, () => undefined);
}

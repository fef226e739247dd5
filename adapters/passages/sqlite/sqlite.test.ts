import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemRuntime } from '../../../models/runtime.ts';
import { attributes, index, model, newScope, passage, retrieval, vector } from '../conformance-data.ts';
import { passagesConformance } from '../conformance.ts';
import type { Passages, RetrievalResult } from '../port.ts';
import { openSqlitePassages } from './sqlite.ts';

passagesConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 2 });
  return {
    passages,
    stop: async () => {
      await passages.close();
      rmSync(folder, { recursive: true });
    },
  };
});

it('keeps its identity and its counter of changes when reopened, and has new ones after the file is deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const opened = async <T>(work: (passages: Passages) => Promise<T>): Promise<T> => {
    const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
    try {
      return await work(passages);
    } finally {
      await passages.close();
    }
  };
  const created = await opened(async (passages) => {
    await index(passages, newScope(), [passage(0, 'word'), passage(1, 'word')], attributes('a'));
    return passages.state();
  });
  expect(created).toMatchObject({ identity: expect.stringMatching(/^[0-9a-f-]{36}$/), changes: 2 });
  expect(await opened((passages) => passages.state())).toEqual(created);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const recreated = await opened((passages) => passages.state());
  expect(recreated.changes).toBe(0);
  expect(recreated.identity).not.toBe(created.identity);
  rmSync(folder, { recursive: true });
});

it('returns the same results for concurrent and sequential retrievals of one thread, and serves other reads between them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
  const scope = newScope();
  const words = ['apple', 'pear', 'plum', 'fig'];
  for (let file = 0; file < 6; file += 1) {
    const rows = Array.from({ length: 20 }, (_, ordinal) =>
      passage(ordinal, `${words[(file + ordinal) % 4]} ${words[ordinal % 3]}`, {
        language: 'en',
        vector: vector(1, file + 1, ordinal - 9),
      }),
    );
    await index(
      passages,
      scope,
      rows,
      attributes(`file-${file}`, file % 2 === 0 ? {} : { aclMode: 'restricted', principals: ['some'] }),
    );
  }
  const asked = Array.from({ length: 30 }, (_, i) =>
    retrieval({
      terms: [[words[i % 4] ?? '']],
      principals: i % 3 === 0 ? ['some'] : [],
      limit: 5 + i,
      vectors: i % 7 === 6 ? [] : [{ model, vector: vector(1, i % 5, -i) }],
      filter: i % 11 === 10 ? { language: 'en' } : {},
    }),
  );
  const alone: RetrievalResult[] = [];
  for (const each of asked) alone.push(await passages.retrieve(scope, each));
  const [together, languages] = await Promise.all([
    Promise.all(asked.map((each) => passages.retrieve(scope, each))),
    passages.languages(scope),
  ]);
  expect(together).toEqual(alone);
  expect(alone.every(({ candidates }) => candidates.length > 0)).toBe(true);
  expect(languages).toEqual(['en']);
  const failing = passages.retrieve(
    scope,
    retrieval({ limit: Number.NaN, vectors: [{ model, vector: vector(1, 2, 3) }], filter: { language: 'en' } }),
  );
  const others = asked.slice(0, 5).map((each) => passages.retrieve(scope, each));
  await expect(failing).rejects.toThrow();
  expect(await Promise.all(others)).toEqual(alone.slice(0, 5));
  await passages.close();
  rmSync(folder, { recursive: true });
});

it.each(['nearestFiles', 'frequenciesOf'] as const)(
  'does not delay a retrieval by any number of later reads: %s',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
    const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
    const scope = newScope();
    const stems = Array.from({ length: 1500 }, (_, i) => `stem${i}`);
    await index(
      passages,
      scope,
      Array.from({ length: 300 }, (_, ordinal) =>
        passage(ordinal, stems.slice(ordinal * 5, ordinal * 5 + 5).join(' '), { vector: vector(1, ordinal, -9) }),
      ),
      attributes('file'),
    );
    let answered = 0;
    const ask = async (): Promise<void> => {
      await (kind === 'nearestFiles'
        ? passages.nearestFiles(scope, {
            principals: null,
            filter: {},
            vector: vector(1, 2, 3),
            embeddingModel: model,
            limit: 10,
          })
        : passages.frequenciesOf(scope, stems));
      answered += 1;
    };
    // The first reads keep the thread busy until all others are queued.
    const before = Array.from({ length: 20 }, ask);
    const found = passages
      .retrieve(scope, retrieval({ terms: [['stem1']], vectors: [{ model, vector: vector(1, 2, 3) }] }))
      .then(() => answered);
    const after = Array.from({ length: 400 }, ask);
    expect(await found).toBeLessThan(200);
    await Promise.all([...before, ...after]);
    expect(answered).toBe(420);
    await passages.close();
    rmSync(folder, { recursive: true });
  },
);

it('delays an organization only by current reads, however many reads another one queues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
  const [many, few] = [newScope(), newScope()];
  for (const scope of [many, few])
    await index(passages, scope, [passage(0, 'word', { vector: vector(1, 2) })], attributes('file'));
  let answered = 0;
  const search = retrieval({ vectors: [{ model, vector: vector(1, 3) }] });
  const flood = Array.from({ length: 100 }, () => passages.retrieve(many, search).then(() => (answered += 1)));
  await passages.retrieve(few, search);
  expect(answered).toBeLessThan(50);
  await Promise.all(flood);
  expect(answered).toBe(100);
  await passages.close();
  rmSync(folder, { recursive: true });
});

it('says once that runs of the word index cannot be merged, and serves everything meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const said: unknown[] = [];
  const log = { info: () => undefined, warn: (...args: readonly unknown[]) => void said.push(args[0]) };
  const open = (): Promise<Passages> => openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1, log });
  await (await open()).close();
  const file = new DatabaseSync(join(folder, 'passages.db'));
  file.exec("create trigger full before insert on runs when new.state = 1 begin select raise(abort, 'no room'); end");
  file.close();
  const passages = await open();
  const scope = newScope();
  for (let at = 0; at < 12; at += 1) await index(passages, scope, [passage(0, 'word')], attributes(`asset-${at}`));
  const { candidates } = await passages.retrieve(scope, retrieval({ terms: [['word']] }));
  expect(candidates).toHaveLength(12);
  await passages.close();
  expect(said).toEqual([{ reason: 'no room' }]);
  rmSync(folder, { recursive: true });
});

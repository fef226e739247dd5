import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { attributes, index, model, newScope, passage, retrieval, vector } from '../conformance-data.ts';
import { openConnection } from './connection.ts';
import { openSqlitePassages } from './sqlite.ts';

describe('a passages file of an earlier version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const open = (): ReturnType<typeof openSqlitePassages> =>
    openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });

  it('is upgraded on open, keeps its passages and accepts passages with timings', async () => {
    const scope = newScope();
    const before = await open();
    await index(before, scope, [passage(0, 'word')], attributes('a'));
    await before.close();
    const file = new DatabaseSync(join(folder, 'passages.db'));
    file.exec('alter table passages drop column timings');
    file.close();

    const after = await open();
    const key = (ordinal: number) => ({ assetId: 'a', revision: 1, ordinal });
    expect(await after.fetch(scope, [key(0)])).toEqual([{ ...key(0), ...passage(0, 'word'), vector: undefined }]);
    await index(after, scope, [passage(0, 'word', { timings: [0, 0, 13, 250] }), passage(1, 'word')], attributes('a'));
    expect((await after.fetch(scope, [key(0), key(1)])).map(({ timings }) => timings)).toEqual([
      [0, 0, 13, 250],
      undefined,
    ]);
    await after.close();
  });

  it('keeps its vectors and accepts those of another model', async () => {
    const scope = newScope();
    const before = await open();
    await index(before, scope, [passage(0, 'word', { vector: vector(1) })], attributes('old'));
    await before.close();
    const file = new DatabaseSync(join(folder, 'passages.db'));
    file.exec('alter table vectors drop column model; drop table other_models; drop index live_by_model');
    file.close();

    const after = await open();
    await index(after, scope, [passage(0, 'word', { vector: vector(1) })], attributes('new'), 1, 'other');
    const vectors = [model, 'other'].map((id) => ({ model: id, vector: vector(1) }));
    const { candidates } = await after.retrieve(scope, retrieval({ vectors }));
    expect(candidates.map((found) => [found.assetId, found.model, found.cosine]).sort()).toEqual([
      ['new', 'other', 1],
      ['old', model, 1],
    ]);
    await after.close();
  });

  it('gets parts of its words in a later start where the first one was interrupted', () => {
    const path = join(folder, 'interrupted.db');
    const earlier = openConnection(path, 'writer');
    earlier.run("insert into stem_counts values (1, 'mainten', 1)");
    // Interrupts the making of the parts, after their table.
    earlier.database.exec('drop table stem_parts; alter table stem_counts rename column stem to unknown');
    earlier.close();
    expect(() => openConnection(path, 'writer')).toThrow('stem');
    const file = new DatabaseSync(path);
    file.exec('alter table stem_counts rename column unknown to stem');
    file.close();
    const now = openConnection(path, 'writer');
    expect(now.all('select part from stem_parts')).toHaveLength(3);
    now.close();
  });
});

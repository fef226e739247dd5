import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { attributes, index, newScope, passage } from '../conformance-data.ts';
import { openSqlitePassages } from './sqlite.ts';

describe('a passages file of an earlier version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const open = (): ReturnType<typeof openSqlitePassages> =>
    openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });

  it('is opened as it is, tells what it holds and takes passages with timings', async () => {
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
});

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemAmbient } from '../../../models/ambient.ts';
import { attributes, index, newScope, passage } from '../conformance-data.ts';
import { passagesConformance } from '../conformance.ts';
import type { Passages } from '../port.ts';
import { openSqlitePassages } from './sqlite.ts';

passagesConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const passages = await openSqlitePassages({ folder, ambient: systemAmbient, readerThreads: 2 });
  return {
    passages,
    stop: async () => {
      await passages.close();
      rmSync(folder, { recursive: true });
    },
  };
});

it('a file keeps its identity over a second opening and counts what is laid down; one that is made anew has another and begins anew', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const opened = async <T>(work: (passages: Passages) => Promise<T>): Promise<T> => {
    const passages = await openSqlitePassages({ folder, ambient: systemAmbient, readerThreads: 1 });
    try {
      return await work(passages);
    } finally {
      await passages.close();
    }
  };
  const made = await opened(async (passages) => {
    await index(passages, newScope(), [passage(0, 'word'), passage(1, 'word')], attributes('a'));
    return passages.state();
  });
  expect(made).toMatchObject({ identity: expect.stringMatching(/^[0-9a-f-]{36}$/), changes: 2 });
  expect(await opened((passages) => passages.state())).toEqual(made);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const anew = await opened((passages) => passages.state());
  expect(anew.changes).toBe(0);
  expect(anew.identity).not.toBe(made.identity);
  rmSync(folder, { recursive: true });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { countersConformance } from './conformance.ts';
import { openEmbeddedCounters } from './embedded.ts';
import { systemRuntime } from '../../models/runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-counters-'));
afterAll(() => rmSync(folder, { recursive: true }));

countersConformance('embedded', async () => ({
  counters: await openEmbeddedCounters({ folder: join(folder, 'suite'), runtime: systemRuntime }),
}));

describe('embedded counters', () => {
  it('keep their counts over a restart', async () => {
    let now = 1_000_000;
    const options = { folder: join(folder, 'restart'), runtime: { now: () => now } };
    const before = await openEmbeddedCounters(options);
    for (let i = 0; i < 3; i += 1) await before.take('key', 3, 60_000);
    await before.close();
    now += 20_000;
    const after = await openEmbeddedCounters(options);
    expect(await after.take('key', 3, 60_000)).toEqual({ allowed: false, limit: 3, remaining: 0, resetMs: 40_000 });
    now += 40_000;
    expect((await after.take('key', 3, 60_000)).allowed).toBe(true);
    await after.close();
  });

  it('write changes periodically, so that a crash loses at most a second', async () => {
    const path = join(folder, 'crash');
    const counters = await openEmbeddedCounters({ folder: path, runtime: systemRuntime, writeEveryMs: 20 });
    await counters.take('key', 5, 60_000);
    await counters.take('key', 5, 60_000);
    const reader = new DatabaseSync(join(path, 'counters.sqlite'), { readOnly: true });
    let groups: unknown = null;
    for (let i = 0; i < 100 && groups === null; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      groups = reader.prepare('select groups from windows where key = ?').get('key')?.['groups'] ?? null;
    }
    expect(groups).toMatch(/^\d+,\d+,2$/);
    reader.close();
    await counters.close();
  });

  it('remove expired keys and respect their maximum', async () => {
    let now = 1_000_000;
    const path = join(folder, 'bound');
    const counters = await openEmbeddedCounters({
      folder: path,
      runtime: { now: () => now },
      maxKeys: 10,
      writeEveryMs: 10,
    });
    for (let i = 0; i < 50; i += 1) await counters.take(`key${i}`, 5, 60_000);
    const reader = new DatabaseSync(join(path, 'counters.sqlite'), { readOnly: true });
    const rows = () => reader.prepare('select count(*) as n from windows').get()?.['n'];
    const seen = async (wanted: number) => {
      for (let i = 0; i < 100 && rows() !== wanted; i += 1) await new Promise((resolve) => setTimeout(resolve, 20));
      return rows();
    };
    expect(await seen(10)).toBe(10);
    now += 60_001;
    expect(await seen(0)).toBe(0);
    reader.close();
    await counters.close();
  });
});

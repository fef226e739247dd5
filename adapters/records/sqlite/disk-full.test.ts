import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { thing, things } from '../conformance-ground.ts';
import { openSqliteRecords } from './records.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-records-full-'));

/** Mounts a small disk; returns why that is not possible. */
function mountDisk(): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? 'mount failed') : String(error);
  }
}

const reason = mountDisk();
if (reason !== null) skipWithReason('a full disk of the records', `no tmpfs can be mounted: ${reason}`);
else
  describe('a full disk of the records', () => {
    const filler = join(folder, 'filler');
    const fill = (): void => {
      try {
        writeFileSync(filler, Buffer.alloc(16 * 2 ** 20));
      } catch {
        // As full as it gets: the file has what there was.
      }
    };
    afterAll(() => {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    });

    it('refuses writes as a store that is away, loses nothing, and goes on when there is room', async () => {
      const text = 'x'.repeat(50_000);
      const kept: string[] = [];
      let records = await openSqliteRecords({ folder, runtime: systemRuntime });
      await records.prepare([things]);
      const all = () => records.collection(things, systemScope);
      const write = async (id: string): Promise<string> => {
        try {
          await all().insert(thing(id, { inner: { text } }));
          kept.push(id);
          return 'kept';
        } catch (error) {
          return error instanceof Error ? error.name : 'unknown';
        }
      };
      for (const round of [1, 2]) {
        expect(await write(`before-${round}`)).toBe('kept');
        fill();
        const outcomes: string[] = [];
        for (let at = 0; at < 200; at += 1) outcomes.push(await write(`full-${round}-${at}`));
        expect([...new Set(outcomes)].filter((outcome) => outcome !== 'kept')).toEqual(['StoreUnavailable']);
        expect(outcomes.at(-1)).toBe('StoreUnavailable');
        await expect(
          all().update(`before-${round}`, {}, { set: { 'inner.text': text.repeat(4) } }),
        ).rejects.toMatchObject({
          name: 'StoreUnavailable',
        });
        expect((await all().getMany(kept)).map(({ _id }) => _id)).toEqual(kept);
        expect(await all().count({})).toBe(kept.length);
        rmSync(filler);
        expect(await write(`after-${round}`)).toBe('kept');
      }
      await records.close();
      records = await openSqliteRecords({ folder, runtime: systemRuntime });
      await records.prepare([things]);
      const found = await all().getMany(kept);
      expect(found.map(({ _id, inner }) => [_id, inner?.text])).toEqual(kept.map((id) => [id, text]));
      expect(await all().count({})).toBe(kept.length);
      await records.close();
    });
  });

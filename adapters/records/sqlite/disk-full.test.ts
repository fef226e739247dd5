import { systemRuntime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { mountSmallDisk } from '../../../test/support/small-disk.ts';
import { thing, things } from '../conformance-ground.ts';
import { openSqliteRecords } from './records.ts';

const disk = mountSmallDisk('records', 8);
if (typeof disk === 'string') skipWithReason('a full disk of the records', disk);
else
  describe('a full disk of the records', () => {
    const { folder } = disk;
    afterAll(() => disk.remove());

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
        disk.fill();
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
        disk.free();
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

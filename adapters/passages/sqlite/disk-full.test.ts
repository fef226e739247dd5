import { systemRuntime } from '../../../models/runtime.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { mountSmallDisk } from '../../../test/support/small-disk.ts';
import { attributes, index, newScope, passage, retrieval } from '../conformance-data.ts';
import { openSqlitePassages } from './sqlite.ts';

const disk = mountSmallDisk('passages', 12);
if (typeof disk === 'string') skipWithReason('a full disk of the passages', disk);
else
  describe('a full disk of the passages', () => {
    afterAll(() => disk.remove());

    it('refuses changes as a store that is away, finds each file once by its words, and goes on when there is room', async () => {
      const scope = newScope();
      const open = (): ReturnType<typeof openSqlitePassages> =>
        openSqlitePassages({ folder: disk.folder, runtime: systemRuntime, readerThreads: 1 });
      let passages = await open();
      const kept: string[] = [];
      const publish = async (assetId: string): Promise<string> => {
        try {
          const words = Array.from({ length: 100 }, (_, at) => `word${at}of${assetId}`).join(' ');
          await index(passages, scope, [passage(0, `common ${words}`)], attributes(assetId));
          kept.push(assetId);
          return 'kept';
        } catch (error) {
          return error instanceof Error ? error.name : 'unknown';
        }
      };
      const found = async (stem: string): Promise<string[]> => {
        const { candidates } = await passages.retrieve(scope, retrieval({ terms: [[stem]], limit: 1000 }));
        return candidates.map(({ assetId }) => assetId).sort();
      };
      for (const round of [1, 2]) {
        expect(await publish(`before${round}`)).toBe('kept');
        disk.fill();
        const outcomes: string[] = [];
        for (let at = 0; at < 20; at += 1) outcomes.push(await publish(`full${round}x${at}`));
        expect([...new Set(outcomes)].filter((outcome) => outcome !== 'kept')).toEqual(['StoreUnavailable']);
        expect(outcomes.at(-1)).toBe('StoreUnavailable');
        expect(await found('common')).toEqual(kept.toSorted());
        disk.free();
        for (let at = 0; at < 6; at += 1) expect(await publish(`after${round}x${at}`)).toBe('kept');
        expect(await found('common')).toEqual(kept.toSorted());
      }
      await passages.close();
      passages = await open();
      expect(await found('common')).toEqual(kept.toSorted());
      for (const assetId of kept.slice(0, 10)) expect(await found(`word7of${assetId}`)).toEqual([assetId]);
      await passages.close();
    });
  });

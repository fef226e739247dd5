import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SourcePage } from '../../adapters/sources/port.ts';
import { sourceFile } from '../support/source-double.ts';
import { syncWorld } from './world.ts';

const files = 100_000;
const pageFiles = 1000;
const mebibyte = 2 ** 20;

/** A page of a large source, generated on request. */
function pageFrom(cursor: string | null, seen: () => void): SourcePage {
  const first = cursor === null ? 0 : Number(cursor);
  seen();
  const entries = Array.from({ length: pageFiles }, (_, index) => {
    const number = String(first + index).padStart(7, '0');
    return sourceFile(`s3:source.example/bucket/folder/${number}.txt`, `etag of ${number}`);
  });
  return { entries, gaps: [], next: first + pageFiles < files ? String(first + pageFiles) : null };
}

it('a hundred thousand unchanged files need no writes and little memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const world = await syncWorld();
  try {
    let heap: number[] = [];
    world.source.list = (cursor) =>
      Promise.resolve(
        pageFrom(cursor, () => {
          if (Number(cursor ?? 0) % 20_000 !== 0) return;
          collect();
          heap.push(process.memoryUsage().heapUsed);
        }),
      );
    expect((await world.sync()).lastSummary).toMatchObject({ new: files, failed: 0 });
    heap = [];
    world.writes.clear();
    expect((await world.sync()).lastSummary).toMatchObject({ new: 0, unchanged: files, changed: 0, removed: 0 });
    const writes = [...world.writes].filter(([name]) => name !== 'sync_candidates.removeMany');
    expect(writes.map(([name]) => name)).toEqual(['connectors.update']);
    // Claim, checkpoints every ten pages, phases, renewals, the end.
    expect(writes[0]?.[1]).toBeLessThan(60);
    expect(heap.length).toBe(5);
    expect(Math.max(...heap) - (heap[0] ?? 0)).toBeLessThan(16 * mebibyte);
  } finally {
    await world.test.close();
  }
});

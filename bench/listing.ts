import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addBucket, base } from './delivery/bucket.ts';
import type { Figure, Part } from './figures.ts';
import { startProgram } from './program.ts';
import { milliseconds, percentile, ratio } from './statistics.ts';
import { addObjects } from './stored-records.ts';

const sizes = [10_000, 1_000_000] as const;
const pages = 100;
const pageItems = 1000;
const maxMs = 30;
const maxRatio = 1.3;

/** Pages of 1,000 objects in the middle of a bucket that holds more and more of them. */
export const part: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-listing-'));
  const organizationId = randomUUID();
  try {
    const first = await startProgram({ folder, organizationId });
    const admin = first.administrator();
    const bucket = await addBucket(admin, 'private');
    await admin.close();
    await first.stop();
    const figures: Figure[] = [];
    let reference = Number.NaN;
    let made = 0;
    for (const size of sizes) {
      await addObjects(
        folder,
        { organizationId, bucketId: bucket.id },
        Array.from({ length: size - made }, (_, at) => keyOf(made + at)),
      );
      made = size;
      const program = await startProgram({ folder, organizationId });
      const http = program.clients(1);
      try {
        const path = (at: number): string =>
          `${base}/buckets/${bucket.id}/objects?limit=${pageItems}&prefix=${encodeURIComponent(prefixAt(size, at))}`;
        await http.run(20, (at) => ({ method: 'GET', path: path(at) }));
        const { items } = JSON.parse(await http.ask({ method: 'GET', path: path(1) })) as { items: unknown[] };
        if (items.length !== pageItems) throw new Error(`a page has ${items.length} objects`);
        const { times } = await http.run(pages, (at) => ({ method: 'GET', path: path(at) }));
        const p95 = percentile(times, 0.95);
        const isFirst = Number.isNaN(reference);
        figures.push({
          name: `a page of ${pageItems} of ${size.toLocaleString('en')} objects, p95 of ${pages}`,
          measured: isFirst ? milliseconds(p95) : `${milliseconds(p95)} = ${ratio(p95 / reference)}`,
          against: isFirst ? '' : `of ${sizes[0].toLocaleString('en')} objects: ${milliseconds(reference)}`,
          target: isFirst ? `below ${maxMs} ms` : `below ${maxMs} ms, at most ${maxRatio}x`,
          reached: p95 < maxMs && (isFirst || p95 / reference <= maxRatio),
        });
        if (isFirst) reference = p95;
      } finally {
        await http.close();
        await program.stop();
      }
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Folders of 1,000 objects each; a key has the folder's number and its own. */
function keyOf(number: number): string {
  return `folder-${String(Math.floor(number / pageItems)).padStart(5, '0')}/file-${String(number).padStart(8, '0')}.bin`;
}

/** The folder of a page, from all parts of the bucket in turn. */
function prefixAt(size: number, at: number): string {
  const folders = size / pageItems;
  return `folder-${String((at * 37) % folders).padStart(5, '0')}/`;
}

import { openFolderBlobs } from '../../adapters/blobs/folder.ts';
import { assets } from '../../models/asset.ts';
import { imports } from '../../models/import.ts';
import { scopeOf } from '../../models/scope.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testAsset } from '../../test/support/asset.ts';
import { memoryRecords } from '../../test/support/memory-records.ts';
import { sweepImports, sweepOrphans } from './retention.ts';
import { systemRuntime } from '../../models/runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-retention-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('removes imports after 90 days', async () => {
  const records = memoryRecords();
  const blobs = await openFolderBlobs({ folder, runtime: systemRuntime });
  const now = Date.UTC(2026, 0, 1);
  const day = 24 * 3_600_000;
  const kept = records.collection(imports, scopeOf('o'));
  await kept.insertNew(
    [89, 91, 400].map((days) => ({ _id: `${days}`, organizationId: 'o', items: [], createdAt: now - days * day })),
  );
  const app = { records, blobs, runtime: { ...systemRuntime, now: () => now } };
  expect(await sweepImports(app)).toBe(2);
  expect(await sweepImports(app)).toBe(0);
  expect((await kept.get('89'))?._id).toBe('89');
});

it('removes texts of assets that do not exist, and no others', async () => {
  const records = memoryRecords();
  const blobs = await openFolderBlobs({ folder, runtime: systemRuntime });
  const text = Buffer.from('text');
  for (let number = 0; number < 450; number += 1) {
    const assetId = `asset-${number}`;
    await blobs.write(`derived/o${number % 3}/${assetId}/1/blocks.jsonl`, text);
    await blobs.write(`derived/o${number % 3}/${assetId}/2/blocks.jsonl`, text);
    if (number % 50 !== 0)
      await records
        .collection(assets, scopeOf(`o${number % 3}`))
        .insert(testAsset({ _id: assetId, organizationId: `o${number % 3}` }));
  }
  const app = { records, blobs, runtime: systemRuntime };
  expect(await sweepOrphans(app)).toBe(9);
  expect(await sweepOrphans(app)).toBe(0);
  const left: string[] = [];
  for await (const { key } of blobs.list('derived/')) left.push(key);
  expect(left.length).toBe(441 * 2);
  expect(left.filter((key) => /asset-(0|50|100|400)\//.test(key))).toEqual([]);
});

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
import { systemAmbient } from '../../models/ambient.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-retention-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('removes imports after 90 days', async () => {
  const records = memoryRecords();
  const blobs = await openFolderBlobs({ folder, ambient: systemAmbient });
  const now = Date.UTC(2026, 0, 1);
  const day = 24 * 3_600_000;
  const kept = records.collection(imports, scopeOf('o'));
  await kept.insertNew([89, 91, 400].map((days) => ({ _id: `${days}`, organizationId: 'o', items: [], createdAt: now - days * day })));
  const house = { records, blobs, ambient: { ...systemAmbient, now: () => now } };
  expect(await sweepImports(house)).toBe(2);
  expect(await sweepImports(house)).toBe(0);
  expect((await kept.get('89'))?._id).toBe('89');
});

it('removes texts of assets that are not there, and no others', async () => {
  const records = memoryRecords();
  const blobs = await openFolderBlobs({ folder, ambient: systemAmbient });
  const text = Buffer.from('text');
  for (let number = 0; number < 450; number += 1) {
    const assetId = `asset-${number}`;
    await blobs.write(`derived/o${number % 3}/${assetId}/1/blocks.jsonl`, text);
    await blobs.write(`derived/o${number % 3}/${assetId}/2/blocks.jsonl`, text);
    if (number % 50 !== 0) await records.collection(assets, scopeOf(`o${number % 3}`)).insert(testAsset({ _id: assetId, organizationId: `o${number % 3}` }));
  }
  const house = { records, blobs, ambient: systemAmbient };
  expect(await sweepOrphans(house)).toBe(9);
  expect(await sweepOrphans(house)).toBe(0);
  const left: string[] = [];
  for await (const { key } of blobs.list('derived/')) left.push(key);
  expect(left.length).toBe(441 * 2);
  expect(left.filter((key) => /asset-(0|50|100|400)\//.test(key))).toEqual([]);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import type { Records } from '../../adapters/records/port.ts';
import { systemRuntime } from '../../models/runtime.ts';
import type { Caller } from '../../models/api.ts';
import { assets, type Asset } from '../../models/asset.ts';
import { scopeOf } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { libraryHealth, StateCounts } from './library-health.ts';

const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const caller: Caller = {
  accountId: 'account',
  organizationId,
  keyId: 'key',
  keyPrefix: 'ply_test',
  keyLabel: 'test',
  keyScope: 'standard',
  requestId: 'request',
};
const facts = { bytes: 1, sha256: null, passages: 1, warnings: [], duplicateOf: null, embeddingModel: null };

let folder: string;
let records: Records;
const slow: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ply-health-'));
  records = await openSqliteRecords({
    folder,
    runtime: systemRuntime,
    onSlowQuery: (statement) => slow.push(statement),
  });
  await records.prepare([assets]);
});
afterAll(async () => {
  await records.close();
  rmSync(folder, { recursive: true });
});

function asset(id: string, createdAt: number, fields: Partial<Asset>, state: Asset['run']['state'] = 'ready'): Asset {
  const made = testAsset({ _id: id, organizationId, createdAt, ...fields });
  return { ...made, run: { ...made.run, state, updatedAt: createdAt } };
}

describe('the health of a library', () => {
  it('lists the newest of each kind, counts all, and reads only through its indexes', async () => {
    const scope = scopeOf(organizationId);
    const other = '6e3ad0c8-0000-4000-8000-00000000000b';
    await records.collection(assets, scope).insertNew([
      asset('ready', 1, { facts }),
      asset('unread', 2, {}, 'queued'),
      asset('failed-1', 3, {}, 'failed'),
      asset('waits', 4, {}, 'awaiting_source_access'),
      asset('failed-2', 5, { facts }, 'failed'),
      asset('empty-1', 6, {
        facts: { ...facts, passages: 0, warnings: [{ code: 'indexed_nothing', detail: 'none' }] },
        activeRevision: 1,
      }),
      asset('empty-2', 7, { facts: { ...facts, passages: 0 }, activeRevision: 1 }),
      asset('missing-1', 8, { facts, sourceMissingSince: 2000 }),
      asset('missing-2', 9, { facts, sourceMissingSince: 1000 }),
      asset('gone', 10, { facts: { ...facts, passages: 0 }, sourceMissingSince: 5, deletedAt: 11 }, 'deleting'),
    ]);
    await records.collection(assets, scopeOf(other)).insertNew([
      {
        ...asset('theirs', 20, { facts: { ...facts, passages: 0 }, sourceMissingSince: 1 }, 'failed'),
        organizationId: other,
      },
    ]);
    const registrar = { of: () => ({ assets: records.collection(assets, scope) }) };
    const health = await libraryHealth(registrar, new StateCounts(() => 0), caller, 20);
    expect(health.states).toEqual({
      queued: 1,
      extracting: 0,
      transcribing: 0,
      embedding: 0,
      retry_scheduled: 0,
      awaiting_source_access: 1,
      ready: 5,
      failed: 2,
      cancelled: 0,
      deleting: 1,
      cleanup: 0,
    });
    expect(health.needsAttention).toBe(3);
    expect(health.items.map(({ assetId, state, updatedAt }) => [assetId, state, updatedAt])).toEqual([
      ['failed-2', 'failed', '1970-01-01T00:00:00.005Z'],
      ['waits', 'awaiting_source_access', '1970-01-01T00:00:00.004Z'],
      ['failed-1', 'failed', '1970-01-01T00:00:00.003Z'],
    ]);
    expect(health.indexedButEmpty.map(({ assetId, warnings }) => [assetId, warnings.length])).toEqual([
      ['empty-2', 0],
      ['empty-1', 1],
    ]);
    expect(health.sourceMissing).toEqual([
      {
        assetId: 'missing-1',
        externalId: 'missing-1',
        filename: 'f.txt',
        kind: 'document',
        sourceUrl: 'https://h/f.txt',
        missingSince: '1970-01-01T00:00:02.000Z',
      },
      expect.objectContaining({ assetId: 'missing-2' }),
    ]);
    const short = await libraryHealth(registrar, new StateCounts(() => 0), caller, 1);
    expect([short.items, short.indexedButEmpty, short.sourceMissing].map((list) => list.length)).toEqual([1, 1, 1]);
    expect(slow).toEqual([]);
  });

  it('counts again, and less often where counting takes long', async () => {
    let now = 0;
    let counted = 0;
    const counts = new StateCounts(() => now);
    const slowly = {
      count: async () => {
        counted += 1;
        now += 10;
        return 1;
      },
    };
    await counts.of('a', slowly);
    const once = counted;
    now += 1000;
    await counts.of('a', slowly);
    expect(counted).toBe(once);
    await counts.of('b', slowly);
    expect(counted).toBe(once * 2);
    now += 10_000;
    await counts.of('a', slowly);
    expect(counted).toBe(once * 3);
  });
});

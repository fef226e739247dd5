import { assets } from '../../../models/asset.ts';
import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import { erasures, type Erasure } from '../../../models/erasure.ts';
import { contentClaims } from '../../../models/job.ts';
import { accounts, apiKeys, auditRows, organizations } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { searchDays } from '../../../models/search-log.ts';
import { usageEvents } from '../../../models/usage-event.ts';
import { testAsset } from '../../../test/support/asset.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { Registrar } from '../registrar.ts';
import { eraseSome } from './account.ts';

const minute = 60_000;
const hour = 60 * minute;

let test: TestApp;
let registrar: Registrar;
let purges: number;
beforeEach(async () => {
  test = await testApp({ PLY_LEASE_SECONDS: '1' });
  purges = 0;
  const { records } = test.app;
  const counted = {
    ...records,
    purge: async () => {
      purges += 1;
      await records.purge();
    },
  };
  registrar = new Registrar(
    { ...test.app, records: counted },
    () => Promise.resolve(),
    () => undefined,
  );
});
afterEach(() => test.close());

function all<T extends StoredRecord>(definition: CollectionDefinition<T>) {
  return test.app.records.collection(definition, systemScope);
}
const usage = (accountId: string, id: string): Promise<void> =>
  all(usageEvents).insert({
    _id: id,
    accountId,
    organizationId: `${accountId}-own`,
    assetId: null,
    metric: 'searches',
    quantity: 1,
    at: 1,
    receivedAt: 1,
  });
const content = (accountId: string): Promise<void> =>
  all(contentClaims).insert({ _id: `${accountId}:digest`, accountId, assetId: 'asset', jobId: 'job' });

/** An account with an organization, a key, an audit entry, a usage event and the first record of a content. */
async function make(accountId: string): Promise<void> {
  const organizationId = `${accountId}-own`;
  await all(accounts).insert({ _id: accountId, organizationId, plan: null, timeZone: 'UTC', createdAt: 0 });
  await all(organizations).insert({
    _id: organizationId,
    accountId,
    parentId: null,
    name: 'Own',
    contactEmail: null,
    description: null,
    isActive: true,
    metadata: null,
    createdAt: 0,
    updatedAt: 0,
  });
  await all(apiKeys).insert({
    _id: `${accountId}-key`,
    accountId,
    hash: accountId,
    prefix: 'ply_',
    label: 'a key',
    scope: 'standard',
    isActive: true,
    expiresAt: null,
    createdAt: 0,
  });
  await all(auditRows).insert({
    _id: `${accountId}-1`,
    accountId,
    sequence: 1,
    at: 0,
    actor: { kind: 'plycdn', id: null, label: null, prefix: null },
    action: 'api_key.created',
    resourceKind: 'api_key',
    resourceId: 'key',
    detail: {},
  });
  await usage(accountId, `${accountId}-usage`);
  await content(accountId);
}

/** The remaining documents of an account, by collection. */
async function left(accountId: string): Promise<string[]> {
  const of = { accountId };
  const counts: [string, number][] = [
    ['accounts', await all(accounts).count({ _id: accountId })],
    ['organizations', await all(organizations).count(of)],
    ['keys', await all(apiKeys).count(of)],
    ['audit', await all(auditRows).count(of)],
    ['usage', await all(usageEvents).count(of)],
    ['contents', await all(contentClaims).count(of)],
    ['assets', await all(assets).count({ organizationId: `${accountId}-own` })],
    ['search days', await all(searchDays).count({ organizationId: `${accountId}-own` })],
    ['erasures', await all(erasures).count(of)],
  ];
  return counts.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`);
}

async function begin(accountId: string, keepUsage: boolean): Promise<void> {
  const startedAt = test.app.records.time();
  await all(erasures).insert({ _id: accountId, accountId, kind: 'account', keepUsage, startedAt, due: startedAt });
}

/** Rounds like the intake's: one part of each due erasure. */
async function round(): Promise<number> {
  const due: Erasure[] = await all(erasures).find({
    filter: { due: { $lte: test.app.records.time() } },
    sort: [
      ['due', 1],
      ['_id', 1],
    ],
    limit: 20,
  });
  for (const erasure of due) await eraseSome(registrar, erasure, () => false);
  return due.length;
}

async function erased(accountId: string): Promise<void> {
  for (let rounds = 0; (await all(erasures).get(accountId))?.until === undefined; rounds += 1) {
    if (rounds > 50) throw new Error(`there is still: ${(await left(accountId)).join()}`);
    await round();
    test.ahead.records += 1000;
  }
}

describe('the erasure of an account', () => {
  it.each([
    [false, []],
    [true, ['usage 1']],
  ])('with --keep-usage %s keeps usage as requested, and ids for a day', async (keepUsage, stays) => {
    await make('gone');
    await make('kept');
    await begin('gone', keepUsage);
    await erased('gone');
    expect(await left('gone')).toEqual([...stays, 'erasures 2']);
    expect(await left('kept')).toEqual(['accounts 1', 'organizations 1', 'keys 1', 'audit 1', 'usage 1', 'contents 1']);
    expect(JSON.stringify(await all(erasures).find({ filter: {}, limit: 10 }))).not.toContain('Own');
    test.ahead.records += 25 * hour;
    expect(await round()).toBe(2);
    expect(await left('gone')).toEqual(stays);
  });

  it.each([
    [false, []],
    [true, ['usage 2']],
  ])('removes late writes for a day, with --keep-usage %s', async (keepUsage, stays) => {
    await make('gone');
    await begin('gone', keepUsage);
    await erased('gone');
    const before = purges;
    // Erased ids are not checked before they are due, and an empty check purges nothing.
    expect(await round()).toBe(0);
    test.ahead.records += 11 * minute;
    expect(await round()).toBe(2);
    expect(purges).toBe(before);

    // A late write of a disconnected process.
    await all(assets).insert(testAsset({ _id: 'late', organizationId: 'gone-own', deletedAt: null }));
    await all(auditRows).insert({
      _id: 'gone-2',
      accountId: 'gone',
      sequence: 2,
      at: 0,
      actor: { kind: 'plycdn', id: null, label: null, prefix: null },
      action: 'api_key.created',
      resourceKind: 'api_key',
      resourceId: 'key',
      detail: {},
    });
    await usage('gone', 'late-usage');
    await content('gone');
    for (let rounds = 0; rounds < 40; rounds += 1) {
      test.ahead.records += minute;
      await round();
    }
    expect(await left('gone')).toEqual([...stays, 'erasures 2']);
    expect(purges).toBeGreaterThan(before);
  });

  it('keeps the ids after a day while writes still arrive', async () => {
    await make('gone');
    await begin('gone', false);
    await erased('gone');
    test.ahead.records += 25 * hour;
    await content('gone');
    await round();
    expect(await left('gone')).toEqual(['erasures 1']);
    test.ahead.records += 2000;
    await round();
    expect(await left('gone')).toEqual([]);
  });

  it('waits until no worker can still write, and continues where it was stopped', async () => {
    await make('gone');
    await all(assets).insert(testAsset({ _id: 'file', organizationId: 'gone-own' }));
    await begin('gone', false);
    const [erasure] = await all(erasures).find({ filter: {}, limit: 1 });
    if (erasure === undefined) throw new Error('the erasure is gone');
    await eraseSome(registrar, erasure, () => true);
    expect(await left('gone')).toEqual(expect.arrayContaining(['accounts 1', 'organizations 1', 'audit 1']));
    // Keys are removed at once, before the rest.
    expect(await left('gone')).not.toContain('keys 1');
    for (let rounds = 0; rounds < 5; rounds += 1) await round();
    expect((await all(erasures).get('gone'))?.until).toBeUndefined();
    await erased('gone');
    expect(await left('gone')).toEqual(['erasures 2']);
  });
});

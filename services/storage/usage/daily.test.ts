import { assets, type Asset } from '../../../models/asset.ts';
import { domains, type Domain } from '../../../models/domain.ts';
import { accounts, organizations, type Account } from '../../../models/organization.ts';
import { buckets, type Bucket } from '../../../models/bucket.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { bucketTotals } from '../../../models/storage-object.ts';
import { pendingUsage } from '../../../models/usage-event.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { measureAccount } from './daily.ts';

let test: TestApp;
let account: Account;
const accountId = 'account';
const organizationId = 'own';
beforeEach(async () => {
  test = await testApp();
  const { records } = test.app;
  account = { _id: accountId, organizationId, plan: null, timeZone: 'Asia/Kathmandu', createdAt: Date.UTC(2031, 0, 1) };
  setClock('2031-01-05T12:00:00Z');
  await records.collection(accounts, systemScope).insert(account);
  await records.collection(organizations, systemScope).insert({
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
  const bucket = { _id: 'bucket', organizationId, accountId, region: 'in-west', createdAt: 1 } as Bucket;
  await records.collection(buckets, scopeOf(organizationId)).insert(bucket);
  const totals = { _id: 'bucket', organizationId, objects: 1, bytes: 700, folded: [], version: 1 };
  await records.collection(bucketTotals, scopeOf(organizationId)).insert(totals);
  const domain = { _id: 'domain', organizationId, accountId, state: 'active', createdAt: 1, deletedAt: null } as Domain;
  await records.collection(domains, scopeOf(organizationId)).insert(domain);
  for (const [number, activeRevision] of [1, null].entries())
    await records.collection(assets, scopeOf(organizationId)).insert({
      _id: `asset-${number}`,
      organizationId,
      accountId,
      createdAt: number,
      deletedAt: null,
      activeRevision,
      facts: activeRevision === null ? null : { textBytes: 40 },
      run: { jobId: `job-${number}` },
    } as Asset);
});
afterEach(() => test.close());

function setClock(time: string): void {
  test.ahead.local = Date.parse(time) - Date.now();
}

/** Metric, day, bytes and dimension of everything that was handed over. */
async function handedOver(): Promise<string[]> {
  const events = await test.app.records.collection(pendingUsage, systemScope).find({ filter: {}, limit: 1000 });
  return events
    .map(({ metric, day, quantity, dimension = '-' }) => `${metric} ${day ?? ''} ${quantity} ${dimension}`)
    .toSorted();
}

it('measures each day when it ends, days on which nothing ran too, and the running day for domains alone', async () => {
  await measureAccount(test.app, account);
  const days = (from: number, to: number, make: (day: string) => string): string[] =>
    Array.from({ length: to - from + 1 }, (_, index) => make(`2031-01-0${from + index}`));
  const upTo = (last: number): string[] =>
    [
      ...days(1, last + 1, (day) => `custom_domain_days ${day} 1 -`),
      ...days(1, last, (day) => `index_gigabyte_months ${day} 40 -`),
      ...days(1, last, (day) => `storage_gb_days ${day} 700 in-west`),
    ].toSorted();
  expect(await handedOver()).toEqual(upTo(4));
  // In Kathmandu the day ends at 18:15 UTC.
  setClock('2031-01-05T18:14:00Z');
  await measureAccount(test.app, account);
  expect(await handedOver()).toEqual(upTo(4));
  setClock('2031-01-05T18:16:00Z');
  await Promise.all([measureAccount(test.app, account), measureAccount(test.app, account)]);
  expect(await handedOver()).toEqual(upTo(5));
  setClock('2031-01-07T18:16:00Z');
  await measureAccount(test.app, account);
  expect(await handedOver()).toEqual(upTo(7));
});

it('measures no day twice where the time zone is changed', async () => {
  await measureAccount(test.app, account);
  const before = await handedOver();
  for (const timeZone of ['Pacific/Pago_Pago', 'Asia/Kathmandu'])
    await measureAccount(test.app, { ...account, timeZone });
  expect(new Set(await handedOver())).toEqual(new Set(before));
});

import { quotaCountOf } from '../../../mixins/accounts/quota-count.ts';
import { requireQuota } from '../../../mixins/accounts/quota.ts';
import { accounts } from '../../../models/organization.ts';
import { quotaCounts } from '../../../models/quota-count.ts';
import { systemScope } from '../../../models/scope.ts';
import { usageEvents } from '../../../models/usage-event.ts';
import { monthOf } from '../../../models/zoned-month.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { foldRound, settleMs } from '../fold.ts';
import { recordEvents } from '../record.ts';
import { correctCount } from './count.ts';
import { quotaFigures } from './figures.ts';

let test: TestApp;
let sent = 0;
const accountId = 'account';
beforeEach(async () => {
  test = await testApp();
  await test.app.records.collection(accounts, systemScope).insert({
    _id: accountId,
    organizationId: 'own',
    plan: null,
    timeZone: 'UTC',
    createdAt: Date.UTC(2026, 0, 1),
  });
});
afterEach(() => test.close());

const month = (): string => monthOf(test.app.runtime.now(), 'UTC');
const setQuota = (searches: number): Promise<unknown> =>
  test.app.records.collection(accounts, systemScope).update(accountId, {}, { set: { quotas: { searches } } });
const counted = async (): Promise<number | undefined> =>
  (await quotaCountOf(test.app, accountId, month())).count.used.searches;

async function search(count = 1): Promise<void> {
  const events = Array.from({ length: count }, () => ({
    _id: `search-${(sent += 1)}`,
    accountId,
    organizationId: 'own',
    assetId: null,
    metric: 'searches' as const,
    quantity: 1,
    at: test.app.runtime.now(),
  }));
  await recordEvents(test.app, events);
}

async function foldAll(): Promise<void> {
  test.ahead.records += settleMs + 1;
  while ((await foldRound(test.app)) > 0);
}

describe('the count of an account with quotas', () => {
  it('has what was used before there was a quota, also what no roll-up has yet', async () => {
    await search(2);
    await foldAll();
    await search(3);
    await setQuota(6_000_000);
    await expect(requireQuota(test.app, accountId, ['searches'])).resolves.toBe(true);
    expect(await counted()).toBe(5);
    await search();
    expect(await counted()).toBe(6);
    await expect(requireQuota(test.app, accountId, ['searches'])).rejects.toMatchObject({ type: 'quota_exceeded' });
    await expect(requireQuota(test.app, accountId, ['answers'])).resolves.toBe(false);
  });

  it('counts the first event of a month once, and an event that is sent twice once', async () => {
    await setQuota(10_000_000);
    await search();
    expect(await counted()).toBe(1);
    sent -= 1;
    await search();
    expect(await counted()).toBe(1);
  });

  it('counts concurrent events of several processes, and says so before the roll-ups do', async () => {
    await setQuota(100_000_000);
    await counted();
    await Promise.all(Array.from({ length: 20 }, () => search(2)));
    expect(await counted()).toBe(40);
    const account = await test.app.records.collection(accounts, systemScope).get(accountId);
    if (account === null) throw new Error('the account is gone');
    expect((await quotaFigures(test.app, account, month()))[2]).toMatchObject({
      metric: 'searches',
      quota: 100,
      used: 40,
      remaining: 60,
      percent: 40,
      enforced: true,
      alertsReached: [],
    });
  });

  it('is corrected after a death between an event and its count, and when it is too high', async () => {
    await setQuota(5_000_000);
    await search();
    // As a process leaves it that died after the event reached the log.
    const day = new Date(test.app.runtime.now()).toISOString().slice(0, 10);
    await test.app.records.collection(usageEvents, systemScope).insert({
      _id: 'uncounted',
      accountId,
      organizationId: 'own',
      assetId: null,
      metric: 'searches',
      quantity: 4,
      at: test.app.runtime.now(),
      receivedAt: test.app.records.time(),
      day,
    });
    expect(await counted()).toBe(1);
    await foldAll();
    await correctCount(test.app, accountId, month());
    expect(await counted()).toBe(5);
    await expect(requireQuota(test.app, accountId, ['searches'])).rejects.toMatchObject({ type: 'quota_exceeded' });
    const counts = test.app.records.collection(quotaCounts, systemScope);
    await counts.update(`${accountId}:${month()}`, {}, { increment: { 'used.searches': 2 } });
    await correctCount(test.app, accountId, month());
    expect(await counted()).toBe(7);
    test.ahead.records += 16_000;
    await correctCount(test.app, accountId, month());
    expect(await counted()).toBe(5);
  });
});

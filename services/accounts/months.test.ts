import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monthTerms } from '../../mixins/accounts/month-terms.ts';
import { monthAfter, monthOf, startOfMonth } from '../../models/zoned-month.ts';
import { changeAccount, readAccount } from './account.ts';
import { inCurrentMonth, monthIntake } from './months.ts';
import { startedApp, type TestApp } from './testing/app.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-months-'));
afterAll(() => rmSync(folder, { recursive: true }));

const paths = { PLY_PLANS_FILE: join(folder, 'plans.json'), PLY_PRICES_FILE: join(folder, 'prices.json') };
const rates = {
  requestsPerMinute: 1,
  searchRequestsPerMinute: 1,
  registrationsPerMinute: 1,
  storageRequestsPerMinute: 1,
};

/** Writes both files: plans with this ceiling of assets, and one price of searches. */
function writeFiles(maxAssets: number, unitPrice: number): void {
  const plans = ['small', 'large'].map((name) => ({
    name,
    features: ['video', 'storage'],
    limits: { ...rates, maxAssets },
  }));
  writeFileSync(paths.PLY_PLANS_FILE, JSON.stringify({ plans }));
  const prices = [{ metric: 'searches', unit: 'search', tiers: [{ upTo: null, unitPrice }] }];
  writeFileSync(paths.PLY_PRICES_FILE, JSON.stringify({ currency: 'EUR', prices }));
}

/** Moves the clock to the first millisecond of the month that is so many later. */
function toMonth(app: TestApp, months: number, timeZone = 'UTC'): string {
  const month = monthAfter(monthOf(app.runtime.now(), timeZone), months);
  app.pass(startOfMonth(month, timeZone) - app.runtime.now());
  return month;
}

async function begin(app: TestApp, accountId: string): Promise<void> {
  const account = await app.collections.accounts.get(accountId);
  if (account !== null) await inCurrentMonth(app, account);
}

let app: TestApp;
let accountId: string;
beforeEach(async () => {
  writeFiles(10, 1);
  const started = await startedApp(paths);
  app = started.app;
  accountId = started.first.accountId;
});
afterEach(() => app.stop());

async function termsOf(month: string): Promise<unknown> {
  const { plan, prices } = await monthTerms(app, accountId, month);
  return [plan?.name ?? null, plan?.limits.maxAssets ?? null, prices?.prices[0]?.tiers[0]?.unitPrice ?? null];
}

describe('the months of an account', () => {
  it('have no plan before one is chosen, and a first plan holds at once, with the files as they are then', async () => {
    const month = toMonth(app, 0);
    expect(await termsOf(month)).toEqual([null, null, null]);
    await begin(app, accountId);
    expect(await termsOf(month)).toEqual([null, null, 1_000_000_000]);
    writeFiles(20, 2);
    expect(await changeAccount(app, { plan: 'small' })).toMatchObject({
      plan: 'small',
      features: ['storage', 'video'],
      limits: { maxAssets: 20 },
    });
    expect(await termsOf(month)).toEqual(['small', 20, 2_000_000_000]);
  });

  it('get a changed plan, and changed files, with the next month', async () => {
    const first = toMonth(app, 0);
    await changeAccount(app, { plan: 'small' });
    writeFiles(30, 3);
    expect(await changeAccount(app, { plan: 'large' })).toMatchObject({
      plan: 'small',
      nextPlan: { name: 'large' },
      limits: { maxAssets: 10 },
    });
    expect(await termsOf(first)).toEqual(['small', 10, 1_000_000_000]);
    const second = toMonth(app, 1);
    await begin(app, accountId);
    expect(await readAccount(app)).toMatchObject({ plan: 'large', limits: { maxAssets: 30 } });
    expect(await readAccount(app)).not.toHaveProperty('nextPlan');
    expect(await termsOf(first)).toEqual(['small', 10, 1_000_000_000]);
    expect(await termsOf(second)).toEqual(['large', 30, 3_000_000_000]);
    await changeAccount(app, { plan: null });
    expect(await readAccount(app)).toMatchObject({ plan: 'large', nextPlan: { name: null } });
    const third = toMonth(app, 1);
    await begin(app, accountId);
    expect(await readAccount(app)).toMatchObject({ plan: null, features: null, limits: null });
    expect(await termsOf(third)).toEqual([null, null, 3_000_000_000]);
  });

  it('keep the plan that is chosen again', async () => {
    await changeAccount(app, { plan: 'small' });
    await changeAccount(app, { plan: 'large' });
    expect(await changeAccount(app, { plan: 'small' })).not.toHaveProperty('nextPlan');
  });

  it('that passed while no program ran get the terms with which the next one begins', async () => {
    await changeAccount(app, { plan: 'small' });
    await changeAccount(app, { plan: 'large' });
    const last = toMonth(app, 3);
    await begin(app, accountId);
    for (const back of [2, 1, 0]) expect(await termsOf(monthAfter(last, -back))).toEqual(['large', 10, 1_000_000_000]);
    expect(await termsOf(monthAfter(last, -3))).toEqual(['small', 10, 1_000_000_000]);
    expect(await termsOf(monthAfter(last, 1))).toEqual(['large', 10, 1_000_000_000]);
  });

  it('keep the terms of the month before while a file is not readable, and a plan that the file lost', async () => {
    await changeAccount(app, { plan: 'small' });
    writeFileSync(paths.PLY_PRICES_FILE, '{');
    const second = toMonth(app, 1);
    await begin(app, accountId);
    expect(await termsOf(second)).toEqual(['small', 10, 1_000_000_000]);
    writeFiles(5, 4);
    writeFileSync(paths.PLY_PLANS_FILE, JSON.stringify({ plans: [] }));
    const third = toMonth(app, 1);
    await begin(app, accountId);
    expect(await termsOf(third)).toEqual(['small', 10, 4_000_000_000]);
  });

  it('are those of the time zone', async () => {
    await changeAccount(app, { plan: 'small' });
    await changeAccount(app, { plan: 'large' });
    const next = toMonth(app, 1, 'Pacific/Kiritimati');
    expect(await changeAccount(app, { timeZone: 'UTC' })).toMatchObject({ plan: 'small' });
    expect(await changeAccount(app, { timeZone: 'Pacific/Kiritimati' })).toMatchObject({ plan: 'large' });
    // Back in the month before, its plan holds again.
    expect(await changeAccount(app, { timeZone: 'UTC' })).toMatchObject({ plan: 'small' });
    expect(await termsOf(next)).toEqual(['large', 10, 1_000_000_000]);
  });

  it('begin once where several processes begin them, and after a death between the writes', async () => {
    await changeAccount(app, { plan: 'small' });
    await changeAccount(app, { plan: 'large' });
    const month = toMonth(app, 1);
    await Promise.all([1, 2, 3, 4].map(() => begin(app, accountId)));
    expect(await termsOf(month)).toEqual(['large', 10, 1_000_000_000]);
    expect(await app.collections.months.count({ accountId, month })).toBe(1);
    // As a process leaves it that dies after the first of the two writes of a plan that holds at once.
    await app.collections.accounts.update(
      accountId,
      {},
      { set: { plan: null, monthEndsAt: 0 }, unset: ['features', 'limits'] },
    );
    const intake = monthIntake(app);
    await intake.start();
    for (let waited = 0; waited < 100 && (await readAccount(app)).plan === null; waited += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await intake.stop(1000);
    expect(await readAccount(app)).toMatchObject({ plan: 'large', limits: { maxAssets: 10 } });
  });
});

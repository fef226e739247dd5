import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { usageMonths, usageReconciliations } from '../../models/usage-month.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { foldRound, settleMs } from './fold.ts';
import { oldestReconciledMs, reconcileDay, reconcileRound } from './reconcile.ts';
import { recordEvents } from './record.ts';

const dayMs = 86_400_000;
let test: TestApp;
beforeEach(async () => {
  test = await testApp();
  await test.app.records
    .collection(accounts, systemScope)
    .insert({ _id: 'account', organizationId: 'own', plan: null, timeZone: 'UTC', createdAt: today });
});
afterEach(() => test.close());

const today = Date.now();
const day = new Date(today).toISOString().slice(0, 10);
const [month, number] = [day.slice(0, 7), day.slice(8)];
const running = () => false;

async function record(id: string, organizationId: string, quantity: number): Promise<void> {
  await recordEvents(test.app, [
    { _id: id, accountId: 'account', organizationId, assetId: null, metric: 'searches', quantity, at: today },
  ]);
}
async function fold(): Promise<void> {
  test.ahead.records += settleMs + 1;
  while ((await foldRound(test.app)) > 0);
}
const months = () => test.app.records.collection(usageMonths, systemScope);
const quantityOf = async (organizationId: string): Promise<[string | undefined, string | undefined]> => {
  const stored = await months().get(`account:${organizationId}:${month}`);
  return [stored?.days[number]?.['searches']?.[0], stored?.total];
};

it('replaces what differs from its events: a changed day, a day too much, and a roll-up that is missing', async () => {
  for (const [id, organizationId] of [
    ['1', 'a'],
    ['2', 'b'],
    ['3', 'c'],
  ] as const)
    await record(id, organizationId, 3);
  await fold();
  expect(await reconcileDay(test.app, 'account', day)).toBe(0);
  await months().update(`account:a:${month}`, {}, { set: { days: { [number]: { searches: ['4', 1, 0] } } } });
  await months().update(`account:b:${month}`, {}, { set: { [`days.${number}.answers`]: ['1', 1, 0] } });
  await months().remove(`account::${month}`);
  // What was not counted yet is no difference.
  await record('4', 'a', 5);
  expect(await reconcileDay(test.app, 'account', day)).toBe(3);
  expect(await reconcileDay(test.app, 'account', day)).toBe(0);
  expect(await quantityOf('a')).toEqual(['3', '{"searches":["3",1,0]}']);
  expect(await quantityOf('')).toEqual(['9', '{"searches":["9",3,0]}']);
  await fold();
  expect(await quantityOf('a')).toEqual(['8', '{"searches":["8",2,0]}']);
  expect(await quantityOf('')).toEqual(['14', '{"searches":["14",4,0]}']);
  expect(await reconcileDay(test.app, 'account', day)).toBe(0);
});

it('looks at each account once a day, goes on where a dead process stopped, and says how long the last one is ago', async () => {
  await record('1', 'a', 3);
  await fold();
  await months().update(`account:a:${month}`, {}, { set: { days: {} } });
  expect(await reconcileRound(test.app, running)).toBe(1);
  await months().update(`account:a:${month}`, {}, { set: { days: {} } });
  expect(await reconcileRound(test.app, running)).toBe(0);
  expect(await oldestReconciledMs(test.app)).toBeLessThan(60_000);
  test.ahead.records += dayMs;
  expect(await oldestReconciledMs(test.app)).toBeGreaterThanOrEqual(dayMs);
  const reconciliations = test.app.records.collection(usageReconciliations, systemScope);
  await reconciliations.update('account', {}, { set: { day, dueAt: test.app.records.time() + 1000 } });
  expect(await reconcileRound(test.app, running)).toBe(0);
  test.ahead.records += 1001;
  expect(
    (await Promise.all([reconcileRound(test.app, running), reconcileRound(test.app, running)])).toSorted(),
  ).toEqual([0, 1]);
  expect(await quantityOf('a')).toEqual(['3', '{"searches":["3",1,0]}']);
});

it('forgets an account that is gone', async () => {
  await reconcileRound(test.app, running);
  await test.app.records.collection(accounts, systemScope).remove('account');
  test.ahead.records += 2 * dayMs;
  expect(await reconcileRound(test.app, running)).toBe(0);
  expect(await oldestReconciledMs(test.app)).toBe(0);
});

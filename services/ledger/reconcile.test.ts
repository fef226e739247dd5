import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import {
  usageFileMonths,
  usageFiles,
  usageMonths,
  usageReconciliations,
  usageResourceMonths,
} from '../../models/usage-month.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { foldRound, settleMs } from './fold.ts';
import { countRound } from './intake.ts';
import { oldestReconciledMs, reconcileDay, reconcileRound, reconcileSoon } from './reconcile.ts';
import { reconcileSubjects } from './reconcile-subjects.ts';
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

it('replaces the sum of a month that is not that of its days, when it looks at the first day', async () => {
  await record('1', 'a', 3);
  await fold();
  await months().update(`account:a:${month}`, {}, { set: { total: '{"searches":["4",1,0]}' } });
  expect(await reconcileDay(test.app, 'account', `${month}-01`)).toBe(1);
  expect(await quantityOf('a')).toEqual(['3', '{"searches":["3",1,0]}']);
  expect(await reconcileDay(test.app, 'account', `${month}-01`)).toBe(0);
});

it('makes a sum of a month anew that cannot be read, and goes on counting; meanwhile it says how late it is', async () => {
  await record('1', 'a', 3);
  await fold();
  await reconcileRound(test.app, running);
  await record('2', 'a', 5);
  for (const total of ['', '{"searches":["x",1,0]}']) {
    await months().update(`account:a:${month}`, {}, { set: { total } });
    test.ahead.records += 60_000;
    await countRound(test.app, running);
    expect((await test.app.metrics.usageUncountedAge.get()).values[0]?.value).toBeGreaterThan(50);
    expect(await reconcileRound(test.app, running)).toBe(1);
    expect(await quantityOf('a')).toEqual(['3', '{"searches":["3",1,0]}']);
  }
  await countRound(test.app, running);
  expect(await quantityOf('a')).toEqual(['8', '{"searches":["8",2,0]}']);
  expect((await test.app.metrics.usageUncountedAge.get()).values[0]?.value).toBe(0);
});

it('does not skip days that it has not reached when a later month is to be looked at', async () => {
  await reconcileRound(test.app, running);
  const collection = test.app.records.collection(usageReconciliations, systemScope);
  const reachedFrom = async (reached: string | null): Promise<string | null | undefined> => {
    await collection.update('account', {}, { set: { day: reached } });
    await reconcileSoon(test.app, 'account', '2031-04');
    return (await collection.get('account'))?.day;
  };
  expect(await reachedFrom('2031-03-15')).toBe('2031-03-15');
  expect(await reachedFrom('2031-04-15')).toBe('2031-04-01');
  expect(await reachedFrom(null)).toBe('2031-04-01');
});

it('looks at each account once a day, goes on where a dead process stopped, and says how long the last one is ago', async () => {
  await record('1', 'a', 3);
  await fold();
  await months().update(`account:a:${month}`, {}, { set: { days: {} } });
  // Its sum, which is looked at with the first day of the month, and the day.
  expect(await reconcileRound(test.app, running)).toBe(number === '01' ? 1 : 2);
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

describe('roll-ups of files and resources', () => {
  const goOn = () => Promise.resolve(true);
  const reconcile = (groupSize = 20_000) => reconcileSubjects(test.app, 'account', month, goOn, { groupSize });
  const files = () => test.app.records.collection(usageFileMonths, systemScope);
  const resources = () => test.app.records.collection(usageResourceMonths, systemScope);
  const recordOf = (id: string, fields: Partial<NewUsageEvent>): Promise<number> =>
    recordEvents(test.app, [
      {
        _id: id,
        accountId: 'account',
        organizationId: 'own',
        assetId: null,
        metric: 'upload_gb',
        quantity: 3,
        at: today,
        ...fields,
      },
    ]);

  const remember = (_id: string): Promise<unknown> =>
    test.app.records.collection(usageFiles, systemScope).insertNew([
      {
        _id,
        accountId: 'account',
        organizationId: 'own',
        externalId: _id,
        filename: 'file.txt',
        kind: 'document',
        createdAt: today - 1000,
        extractContentFromVideoFrames: null,
      },
    ]);

  /** Five files and three buckets with use that was counted. */
  async function used(): Promise<void> {
    for (const number of [1, 2, 3, 4, 5, 6]) await remember(`file-${number}`);
    for (const number of [1, 2, 3, 4, 5])
      await recordOf(`file-${number}`, { assetId: `file-${number}`, metric: 'document_megabytes' });
    await recordOf('twin', { assetId: 'file-5', metric: 'document_megabytes', quantity: 0, duplicateOf: 'file-1' });
    for (const number of [1, 2, 3]) await recordOf(`upload-${number}`, { resourceId: `bucket-${number}` });
    await recordOf('kept', { resourceId: 'bucket-1', metric: 'storage_gb_days', day });
    // Traffic has totals of its own.
    await recordOf('delivered', { resourceId: 'bucket-1', metric: 'delivery_gb', dimension: 'europe', day });
    await fold();
  }

  it.each([20_000, 2])('are replaced where they differ from the events, in groups of %d', async (groupSize) => {
    await used();
    expect(await reconcile(groupSize)).toBe(0);
    const ids = ['file-1', 'file-2', 'file-3', 'file-5'].map((file) => `${file}:${month}`);
    const before = await files().getMany(ids);
    const bucketsBefore = await resources().getMany([`bucket-1:${month}`, `bucket-2:${month}`]);
    await files().update(ids[0] ?? '', {}, { set: { days: { [number]: { document_megabytes: ['4', 1, 0] } } } });
    await files().update(ids[1] ?? '', {}, { set: { 'days.00': { document_megabytes: ['1', 1, 0] } } });
    await files().remove(ids[2] ?? '');
    await files().update(ids[3] ?? '', {}, { set: { duplicateOf: 'file-2' } });
    await resources().remove(`bucket-1:${month}`);
    await resources().update(`bucket-2:${month}`, {}, { set: { days: {} } });
    // What was not counted yet is no difference.
    await recordOf('later', { assetId: 'file-4', metric: 'document_megabytes' });
    await recordOf('new', { assetId: 'file-6', metric: 'document_megabytes' });
    expect(await reconcile(groupSize)).toBe(6);
    expect(await reconcile(groupSize)).toBe(0);
    const shown = ({ days, ...rest }: { days: object; duplicateOf?: string | null; createdAt?: number }) => [
      days,
      rest.duplicateOf,
      rest.createdAt,
    ];
    expect((await files().getMany(ids)).map(shown)).toEqual(before.map(shown));
    expect((await resources().getMany([`bucket-1:${month}`, `bucket-2:${month}`])).map(shown)).toEqual(
      bucketsBefore.map(shown),
    );
    await fold();
    expect(await reconcile(groupSize)).toBe(0);
    expect((await files().get(`file-4:${month}`))?.days).toEqual({ [number]: { document_megabytes: ['6', 2, 0] } });
  });

  it('have none for a file that nobody remembers: it could not be shown', async () => {
    await recordOf('unknown', { assetId: 'unknown', metric: 'document_megabytes' });
    await fold();
    expect(await reconcile()).toBe(0);
    expect(await files().count({ accountId: 'account' })).toBe(0);
    expect(await quantityOf('own')).toEqual([undefined, '{"document_megabytes":["3",1,0]}']);
  });

  it('are looked at once a day with the others, and work ends when the program stops', async () => {
    await used();
    await files().remove(`file-3:${month}`);
    expect(await reconcileSubjects(test.app, 'account', month, () => Promise.resolve(false))).toBe(0);
    expect(await reconcileRound(test.app, running)).toBe(1);
    expect((await files().get(`file-3:${month}`))?.days).toEqual({ [number]: { document_megabytes: ['3', 1, 0] } });
  });
});

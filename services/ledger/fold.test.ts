import fc from 'fast-check';
import type { Collection, Records } from '../../adapters/records/port.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import { usageMonths, type UsageMonth, type UsageSums } from '../../models/usage-month.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { foldRound, oldestUncountedMs, settleMs } from './fold.ts';
import { finishAbandoned, finishBatches, recordEvents } from './record.ts';
import { reconcileDay } from './reconcile.ts';

let test: TestApp;
let run = 0;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

async function placeAccount(timeZone = 'UTC'): Promise<string> {
  run += 1;
  const _id = `account-${run}`;
  await test.app.records
    .collection(accounts, systemScope)
    .insert({ _id, organizationId: `${_id}-own`, plan: null, timeZone, createdAt: Date.UTC(2030, 0, 1) });
  return _id;
}

/** Records whose process dies after some writes. */
function dying(records: Records, writes: number): Records {
  let left = writes;
  const die = async <T>(write: () => Promise<T>): Promise<T> => {
    if ((left -= 1) < 0) throw new Error('killed');
    return write();
  };
  return {
    ...records,
    collection: <T extends StoredRecord>(definition: CollectionDefinition<T>): Collection<T> => {
      const real = records.collection(definition, systemScope);
      return {
        ...real,
        insert: (document) => die(() => real.insert(document)),
        insertNew: (documents) => die(() => real.insertNew(documents)),
        remove: (...given) => die(() => real.remove(...given)),
        update: (...given) => die(() => real.update(...given)),
        updateAll: (...given) => die(() => real.updateAll(...given)),
        put: (...given) => die(() => real.put(...given)),
      };
    },
  };
}

async function foldAll(): Promise<void> {
  // Later than events need to reach the log.
  test.ahead.records += settleMs + 1;
  while ((await foldRound(test.app)) > 0);
}

async function monthsOf(accountId: string): Promise<UsageMonth[]> {
  return test.app.records
    .collection(usageMonths, systemScope)
    .find({ filter: { accountId }, sort: [['_id', 1]], limit: 1000 });
}

/** What events add up to, by organization (empty: the account), month, day and metric; counted without the ledger. */
function expected(events: readonly NewUsageEvent[]): { [place: string]: string } {
  const sums = new Map<string, bigint>();
  for (const { organizationId, metric, quantity, at } of new Map(events.map((event) => [event._id, event])).values())
    for (const organization of [organizationId, '']) {
      const place = `${organization} ${new Date(at).toISOString().slice(0, 10)} ${metric}`;
      sums.set(place, (sums.get(place) ?? 0n) + BigInt(quantity));
    }
  return Object.fromEntries([...sums].toSorted().map(([place, sum]) => [place, String(sum)]));
}

function counted(months: readonly UsageMonth[]): { [place: string]: string } {
  return Object.fromEntries(
    months
      .flatMap(({ organizationId, month, days }) =>
        Object.entries(days).flatMap(([day, sums]) =>
          Object.entries(sums).map(([key, [quantity]]): [string, string] => [
            `${organizationId} ${month}-${day} ${key}`,
            quantity,
          ]),
        ),
      )
      .toSorted(),
  );
}

const someEvents = (accountId: string): fc.Arbitrary<NewUsageEvent[]> =>
  fc.array(
    fc.record({
      _id: fc.nat(30).map((id) => `${accountId}-${id}`),
      accountId: fc.constant(accountId),
      organizationId: fc.constantFrom('a', 'b'),
      assetId: fc.constant(null),
      metric: fc.constantFrom('searches', 'source_bytes', 'delivery_gb'),
      quantity: fc.oneof(fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER)),
      at: fc.integer({ min: Date.UTC(2031, 0, 30), max: Date.UTC(2031, 1, 2) }),
    }),
    { minLength: 1, maxLength: 40 },
  );

it('totals are those of the distinct events, however they are batched, repeated, shuffled, late or interrupted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(12)), fc.gen(), async (writes, pick) => {
      const accountId = await placeAccount();
      const given = [...new Map(pick(() => someEvents(accountId)).map((event) => [event._id, event])).values()];
      const sent = pick(() => fc.shuffledSubarray([...given, ...given], { minLength: given.length }));
      const all = [...sent, ...given];
      while (all.length > 0) {
        const batch = all.splice(0, 1 + pick(() => fc.nat(9)));
        const { value: allowed = 0 } = writes.next();
        const broken = { ...test.app, records: dying(test.app.records, allowed) };
        await recordEvents(broken, batch).catch(() => undefined);
        await recordEvents(test.app, batch);
        if (pick(fc.boolean)) await finishBatches(test.app);
        test.ahead.records += settleMs + 1;
        await foldRound(broken).catch(() => undefined);
      }
      await finishBatches(test.app);
      await foldAll();
      const months = await monthsOf(accountId);
      expect(counted(months)).toEqual(expected(given));
      for (const { month, days } of months)
        for (const day of Object.keys(days)) expect(await reconcileDay(test.app, accountId, `${month}-${day}`)).toBe(0);
    }),
    { numRuns: 25 },
  );
});

it('sums of more than 2^53 base units are exact', async () => {
  const accountId = await placeAccount();
  const event = {
    accountId,
    organizationId: 'a',
    assetId: null,
    metric: 'source_bytes' as const,
    at: Date.UTC(2031, 4, 5),
  };
  await recordEvents(test.app, [
    { ...event, _id: `${accountId}-1`, quantity: Number.MAX_SAFE_INTEGER },
    { ...event, _id: `${accountId}-2`, quantity: 2 },
  ]);
  await foldAll();
  const [month] = await monthsOf(accountId);
  expect(month?.days).toEqual({ '05': { source_bytes: ['9007199254740993', 2, 0] } });
  expect(JSON.parse(month?.total ?? '') as UsageSums).toEqual({ source_bytes: ['9007199254740993', 2, 0] });
});

it.each([
  // A day of 23 hours, one of 25, an offset of 45 minutes, and a day that the calendar skips.
  ['Europe/Berlin', '2031-03-29T22:59:59.999Z', '2031-03-29'],
  ['Europe/Berlin', '2031-03-29T23:00:00.000Z', '2031-03-30'],
  ['Europe/Berlin', '2031-03-30T21:59:59.999Z', '2031-03-30'],
  ['Europe/Berlin', '2031-03-30T22:00:00.000Z', '2031-03-31'],
  ['America/New_York', '2031-11-02T04:00:00.000Z', '2031-11-02'],
  ['America/New_York', '2031-11-03T04:59:59.999Z', '2031-11-02'],
  ['Asia/Kathmandu', '2031-05-31T18:14:59.999Z', '2031-05-31'],
  ['Asia/Kathmandu', '2031-05-31T18:15:00.000Z', '2031-06-01'],
  ['Pacific/Apia', '2031-12-31T10:59:59.999Z', '2031-12-31'],
])('in %s, %s is on %s; delivery counts by days of UTC', async (timeZone, at, day) => {
  const accountId = await placeAccount(timeZone);
  const event = { accountId, organizationId: 'a', assetId: null, quantity: 1, at: Date.parse(at) };
  await recordEvents(test.app, [
    { ...event, _id: `${accountId}-1`, metric: 'searches' },
    { ...event, _id: `${accountId}-2`, metric: 'delivery_gb' },
  ]);
  await foldAll();
  const places = Object.keys(counted(await monthsOf(accountId)));
  expect(places).toContain(`a ${day} searches`);
  expect(places).toContain(`a ${at.slice(0, 10)} delivery_gb`);
});

it('counting waits for a batch on its way into the log, and goes on when that of a process that died is finished', async () => {
  const accountId = await placeAccount();
  await foldAll();
  const event = { accountId, organizationId: 'a', assetId: null, metric: 'searches' as const, quantity: 1 };
  const at = Date.UTC(2031, 4, 5);
  const killed = { ...test.app, records: dying(test.app.records, 1) };
  await expect(recordEvents(killed, [{ ...event, _id: `${accountId}-1`, at }])).rejects.toThrow('killed');
  await recordEvents(test.app, [{ ...event, _id: `${accountId}-2`, at }]);
  await foldAll();
  expect(await monthsOf(accountId)).toEqual([]);
  test.ahead.records += 5000;
  await finishAbandoned(test.app);
  await foldAll();
  expect(counted(await monthsOf(accountId))).toEqual({ ' 2031-05-05 searches': '2', 'a 2031-05-05 searches': '2' });
});

it('tells how long the oldest event waits to be counted', async () => {
  const accountId = await placeAccount();
  await foldAll();
  expect(await oldestUncountedMs(test.app)).toBe(0);
  const event = {
    accountId,
    organizationId: 'a',
    assetId: null,
    metric: 'searches' as const,
    at: Date.UTC(2031, 4, 5),
  };
  await recordEvents(test.app, [{ ...event, _id: `${accountId}-1`, quantity: 1 }]);
  test.ahead.records += 1000;
  expect(await oldestUncountedMs(test.app)).toBeGreaterThanOrEqual(1000);
  expect(await foldRound(test.app)).toBe(0);
});

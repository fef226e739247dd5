import { accountMonthId, accountMonths } from '../../models/account-month.ts';
import { accounts, type Account } from '../../models/organization.ts';
import type { PriceList } from '../../models/prices.ts';
import { systemScope } from '../../models/scope.ts';
import { ledgers, usageAdjustments, type Statement } from '../../models/statement.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import { usageMonths } from '../../models/usage-month.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { foldRound, settleMs } from './fold.ts';
import { recordEvents } from './record.ts';
import { knownAccounts } from './state.ts';
import { closeStep, dueOf, type CloseContext } from './statements/close.ts';
import { statementsOf, verifyStatements } from './statements/verify.ts';

/*
 * Faults that meters are known to have, each as a test. docs/metering.md lists them by these numbers.
 */

let test: TestApp;
let run = 0;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

function setClock(time: string): void {
  test.ahead.records = Date.parse(time) - Date.now();
}

async function place(
  timeZone = 'UTC',
  createdAt = '2031-04-02T12:00:00Z',
  more: Partial<Account> = {},
): Promise<string> {
  run += 1;
  const _id = `fault${run}`;
  await test.app.records.collection(accounts, systemScope).insert({
    _id,
    organizationId: `${_id}-own`,
    plan: null,
    timeZone,
    // Months are begun, also the next one.
    month: '2040-01',
    createdAt: Date.parse(createdAt),
    ...more,
  });
  await knownAccounts(test.app, [_id]);
  return _id;
}

/** Prices of an account from its first month on. Units cost so many billionths. */
async function price(accountId: string, month: string, prices: PriceList['prices']): Promise<void> {
  await test.app.records.collection(accountMonths, systemScope).insert({
    _id: accountMonthId(accountId, month),
    accountId,
    month,
    plan: null,
    prices: { currency: 'EUR', prices },
    takenAt: 0,
  });
}

let sent = 0;
function use(accountId: string, at: string, event: Partial<NewUsageEvent> = {}): NewUsageEvent {
  sent += 1;
  return {
    _id: `use-${sent}`,
    accountId,
    organizationId: `${accountId}-own`,
    assetId: null,
    metric: 'searches',
    quantity: 1,
    at: Date.parse(at),
    ...event,
  };
}

/** Closes what is due at a time, and checks each statement against its events. */
async function close(accountId: string, at: string, app: CloseContext = test.app): Promise<Statement[]> {
  setClock(at);
  for (let steps = 0; steps < 200; steps += 1) {
    const ledger = await test.app.records.collection(ledgers, systemScope).get(accountId);
    if (ledger === null) throw new Error('there is no ledger');
    if ((await closeStep(app, ledger, 0)).kind === 'waits') break;
  }
  for await (const { differences } of verifyStatements(test.app, accountId)) expect(differences).toEqual([]);
  return Array.fromAsync(statementsOf(test.app, accountId));
}

const searchesOf = ({ sums, late }: Statement): number =>
  [sums, ...Object.values(late)].reduce((sum, each) => sum + Number(each['searches']?.[0] ?? 0), 0);
const linesOf = (statement: Statement | undefined): object[] | undefined =>
  statement?.content.lines.map(({ dimension, quantity, unitPrice, amount }) => ({
    dimension,
    quantity,
    unitPrice,
    amount,
  }));

describe('time', () => {
  it('fault 1: a zone ahead of UTC gets one statement a month', async () => {
    const accountId = await place('Pacific/Kiritimati');
    for (const at of ['2031-05-03T09:59:00Z', '2031-05-03T10:00:00Z', '2031-05-04T00:00:00Z', '2031-06-04T00:00:00Z'])
      await close(accountId, at);
    const all = await close(accountId, '2031-07-04T00:00:00Z');
    expect(all.map(({ month, sequence }) => [month, sequence])).toEqual([
      ['2031-04', 1],
      ['2031-05', 2],
      ['2031-06', 3],
    ]);
  });

  it.each([
    ['2031-03', '2031-03-31T22:00:00Z'],
    ['2031-10', '2031-10-31T23:00:00Z'],
  ])('fault 2: a change of clocks in %s drops no use', async (month, ends) => {
    setClock(`${month}-10T00:00:00Z`);
    const accountId = await place('Europe/Berlin', `${month}-02T00:00:00Z`);
    const end = Date.parse(ends);
    const hours = Array.from({ length: 31 * 24 }, (_, hour) => end + (hour - 20 * 24) * 3_600_000);
    await recordEvents(
      test.app,
      hours.map((at) => use(accountId, new Date(at).toISOString())),
    );
    const all = await close(accountId, new Date(end + 40 * 86_400_000).toISOString());
    expect(all.map(searchesOf)).toEqual([20 * 24, 11 * 24]);
  });

  it('fault 3: the end of a day is that of the account, so that no use is charged in two months', async () => {
    const accountId = await place('America/Los_Angeles');
    setClock('2031-05-02T00:00:00Z');
    // Five in the afternoon of 30 April, when it is May in UTC.
    await recordEvents(test.app, [use(accountId, '2031-05-01T00:00:00Z'), use(accountId, '2031-05-01T07:00:00Z')]);
    expect((await close(accountId, '2031-06-05T00:00:00Z')).map(searchesOf)).toEqual([1, 1]);
  });

  it('fault 4: the first and the last day of a month count', async () => {
    const accountId = await place('Asia/Kolkata', '2031-05-01T00:00:00Z');
    setClock('2031-06-01T00:00:00Z');
    const days = Array.from({ length: 31 }, (_, day) => `2031-05-${String(day + 1).padStart(2, '0')}`);
    await recordEvents(
      test.app,
      days.flatMap((day) => [use(accountId, `${day}T00:00:00+05:30`), use(accountId, `${day}T23:59:59.999+05:30`)]),
    );
    expect((await close(accountId, '2031-06-05T00:00:00Z')).map(searchesOf)).toEqual([62]);
  });

  it('fault 11: a month ends with a millisecond', async () => {
    const accountId = await place();
    setClock('2031-05-02T00:00:00Z');
    await recordEvents(test.app, [
      use(accountId, '2031-04-30T23:59:59.999Z'),
      use(accountId, '2031-05-01T00:00:00.000Z', { quantity: 10 }),
    ]);
    expect((await close(accountId, '2031-06-05T00:00:00Z')).map(searchesOf)).toEqual([1, 10]);
  });

  it('fault 20: a clock that is set back closes nothing again, and loses nothing', async () => {
    const accountId = await place();
    setClock('2031-04-10T00:00:00Z');
    await recordEvents(test.app, [use(accountId, '2031-04-10T00:00:00Z')]);
    await close(accountId, '2031-05-04T00:00:00Z');
    setClock('2031-04-20T00:00:00Z');
    await recordEvents(test.app, [use(accountId, '2031-04-20T00:00:00Z', { quantity: 10 })]);
    expect(await close(accountId, '2031-04-21T00:00:00Z')).toHaveLength(1);
    expect((await close(accountId, '2031-06-04T00:00:00Z')).map(searchesOf)).toEqual([1, 10]);
  });
});

describe('repetition', () => {
  it('fault 5: one cause is one event, also when four processes report it at once', async () => {
    const accountId = await place();
    setClock('2031-04-10T00:00:00Z');
    const meeting = use(accountId, '2031-04-10T00:00:00Z', { quantity: 7 });
    const recorded = await Promise.all([1, 2, 3, 4].map(() => recordEvents(test.app, [meeting])));
    expect(recorded.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect((await close(accountId, '2031-05-04T00:00:00Z')).map(searchesOf)).toEqual([7]);
  });

  it('fault 6: a cause that is reported again after its month closed is not charged again', async () => {
    const accountId = await place();
    setClock('2031-04-10T00:00:00Z');
    const first = use(accountId, '2031-04-10T00:00:00Z');
    await recordEvents(test.app, [first]);
    await close(accountId, '2031-05-04T00:00:00Z');
    expect(await recordEvents(test.app, [{ ...first, quantity: 9 }, first])).toBe(0);
    expect((await close(accountId, '2031-06-04T00:00:00Z')).map(searchesOf)).toEqual([1, 0]);
  });

  it('fault 8: a month is closed once by closers that run at once', async () => {
    const accountId = await place();
    const closers = ['a', 'b', 'c'].map((nodeId) => close(accountId, '2031-05-04T00:00:00Z', { ...test.app, nodeId }));
    await Promise.all(closers);
    expect(await close(accountId, '2031-05-04T00:01:00Z')).toHaveLength(1);
  });

  it('fault 9: counting that runs twice at once counts once', async () => {
    const accountId = await place();
    setClock('2031-04-10T00:00:00Z');
    await recordEvents(
      test.app,
      Array.from({ length: 50 }, () => use(accountId, '2031-04-10T00:00:00Z')),
    );
    test.ahead.records += settleMs + 1;
    await Promise.all([1, 2, 3].map(() => foldRound(test.app)));
    const month = await test.app.records.collection(usageMonths, systemScope).get(`${accountId}::2031-04`);
    expect(month?.total).toBe('{"searches":["50",50,0]}');
  });

  it('fault 15: an event that stands twice in one batch counts once', async () => {
    const accountId = await place();
    setClock('2031-04-10T00:00:00Z');
    const event = use(accountId, '2031-04-10T00:00:00Z');
    expect(await recordEvents(test.app, [event, event, { ...event }])).toBe(1);
    expect((await close(accountId, '2031-05-04T00:00:00Z')).map(searchesOf)).toEqual([1]);
  });
});

describe('late use', () => {
  it('fault 7: recording and closing have one grace: what the ledger says', async () => {
    const app = { ...test.app, configuration: { ...test.app.configuration, PLY_STATEMENT_GRACE_HOURS: 1 } };
    const accountId = await place();
    expect(dueOf(app, { timeZone: 'UTC' }, '2031-04')).toBe(Date.parse('2031-05-01T01:00:00Z'));
    setClock('2031-05-01T00:59:00Z');
    await recordEvents(test.app, [use(accountId, '2031-04-10T00:00:00Z')]);
    await close(accountId, '2031-05-01T01:00:00Z', app);
    // The recording process still has 72 hours.
    await recordEvents(test.app, [use(accountId, '2031-04-10T00:00:00Z', { quantity: 10 })]);
    const [april, may] = await close(accountId, '2031-06-01T01:00:00Z', app);
    expect([april?.sums, may?.late]).toEqual([{ searches: ['1', 1, 0] }, { '2031-04': { searches: ['10', 1, 0] } }]);
  });

  it('fault 16: use that arrives months later is charged', async () => {
    const accountId = await place();
    await close(accountId, '2031-09-10T00:00:00Z');
    await recordEvents(test.app, [use(accountId, '2031-04-10T00:00:00Z', { quantity: 3 })]);
    const all = await close(accountId, '2031-10-04T00:00:00Z');
    expect(all.at(-1)?.late).toEqual({ '2031-04': { searches: ['3', 1, 0] } });
  });
});

describe('amounts', () => {
  const tiers = (...each: [upTo: number | null, unitPrice: number][]) =>
    each.map(([upTo, unitPrice]) => ({ upTo: upTo === null ? null : upTo * 1_000_000, unitPrice }));

  async function charged(prices: PriceList['prices'], events: Partial<NewUsageEvent>[]): Promise<Statement[]> {
    const accountId = await place('UTC', '2031-04-02T12:00:00Z', { currency: 'EUR' });
    await price(accountId, '2031-04', prices);
    setClock('2031-04-10T00:00:00Z');
    await recordEvents(
      test.app,
      events.map((event) => use(accountId, '2031-04-10T00:00:00Z', event)),
    );
    return close(accountId, '2031-05-04T00:00:00Z');
  }

  it('fault 10: use of a dimension with a price of its own is not in the line of the rest as well', async () => {
    const egress = { metric: 'delivery_gb', included: 0, tiers: tiers([null, 1_000_000_000]) } as const;
    const [april] = await charged(
      [{ ...egress, dimensions: { europe: { included: 0, tiers: tiers([null, 2_000_000_000]) } } }],
      [
        { metric: 'delivery_gb', dimension: 'europe', quantity: 2 ** 30 },
        { metric: 'delivery_gb', dimension: 'africa', quantity: 3 * 2 ** 30 },
      ],
    );
    expect(linesOf(april)).toEqual([
      { dimension: 'delivery_gb', quantity: 3, unitPrice: 1, amount: 3 },
      { dimension: 'delivery_gb/europe', quantity: 1, unitPrice: 2, amount: 2 },
    ]);
  });

  it('fault 12: a line is rounded once, halves away from zero, after all of its tiers', async () => {
    // 0.5 + 0.4 + 0.1 hundredths.
    const searches = tiers([1, 5_000_000], [2, 4_000_000], [null, 1_000_000]);
    const [april] = await charged([{ metric: 'searches', included: 0, tiers: searches }], [{ quantity: 3 }]);
    expect(linesOf(april)).toEqual([{ dimension: 'searches', quantity: 3, unitPrice: null, amount: 0.01 }]);
    const [half] = await charged([{ metric: 'searches', included: 0, tiers: searches }], [{ quantity: 1 }]);
    expect(half?.content.total).toBe(0.01);
  });

  it('fault 13: the total is the sum of the lines as they are shown', async () => {
    const cheap = { included: 0, tiers: tiers([null, 4_000_000]) };
    const [april] = await charged(
      [
        { metric: 'searches', ...cheap },
        { metric: 'answers', ...cheap },
        { metric: 'dashboard_searches', ...cheap },
      ],
      [{}, { metric: 'answers' }, { metric: 'dashboard_searches' }],
    );
    expect(april?.content.lines.map(({ amount }) => amount)).toEqual([0, 0, 0]);
    expect(april?.content.total).toBe(0);
  });

  it('fault 14: a credit takes away exactly what was charged', async () => {
    const prices = [{ metric: 'searches', included: 0, tiers: tiers([null, 35_000_000]) }] as const;
    const [april] = await charged([...prices], [{ quantity: 29 }]);
    expect(april?.content.total).toBe(1.02);
    const accountId = april?.accountId ?? '';
    await test.app.records.collection(usageAdjustments, systemScope).insert({
      _id: `${accountId}-credit`,
      accountId,
      receivedAt: test.app.records.time(),
      amount: -102,
      description: 'credit',
    });
    const [, may] = await close(accountId, '2031-06-04T00:00:00Z');
    expect([april?.content.total, may?.content.total]).toEqual([1.02, -1.02]);
  });

  it('fault 17: sums with more digits than a decimal library keeps are exact', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const [april] = await charged(
      [{ metric: 'ocr_frames', included: 0, tiers: tiers([null, 9_000_000_000_000_000]) }],
      Array.from({ length: 40 }, () => ({ metric: 'ocr_frames' as const, quantity: most })),
    );
    expect(april?.sums['ocr_frames']?.[0]).toBe(String(BigInt(most) * 40n));
    expect(april?.content.total).toBe(Number(BigInt(most) * 40n * 9_000_000n));
  });

  it('fault 18: 2^53 + 1 base units are no number of JavaScript, and stand in a statement', async () => {
    const [april] = await charged(
      [],
      [
        { metric: 'source_bytes', quantity: Number.MAX_SAFE_INTEGER },
        { metric: 'source_bytes', quantity: 2 },
      ],
    );
    expect(april?.sums['source_bytes']).toEqual(['9007199254740993', 2, 0]);
  });

  it('fault 19: the day on which the service ends is charged, and nothing after the end', async () => {
    const ends = { currency: 'EUR', serviceEndsAt: Date.parse('2031-04-16T00:00:00+05:30') };
    const accountId = await place('Asia/Kolkata', '2031-04-02T12:00:00Z', ends);
    await price(accountId, '2031-04', [
      { metric: 'searches', included: 30_000_000, tiers: tiers([null, 1_000_000_000]) },
    ]);
    setClock('2031-04-20T00:00:00Z');
    const midnight = '2031-04-16T00:00:00+05:30';
    await recordEvents(test.app, [
      use(accountId, '2031-04-15T23:59:59.999+05:30', { quantity: 20 }),
      use(accountId, midnight, { quantity: 100 }),
      use(accountId, midnight, { metric: 'storage_gb_days', quantity: 2 ** 30, day: '2031-04-15' }),
      use(accountId, midnight, { metric: 'custom_domain_days', day: '2031-04-15' }),
      use(accountId, '2031-04-17T00:00:00+05:30', { metric: 'custom_domain_days', day: '2031-04-16' }),
    ]);
    const [april] = await close(accountId, '2031-05-04T00:00:00Z');
    expect(april?.content.proration).toEqual({
      activeDays: 15,
      daysInMonth: 30,
      from: '2031-04-01',
      to: '2031-04-15',
    });
    expect(linesOf(april)).toEqual([
      { dimension: 'searches', quantity: 20, unitPrice: 1, amount: 5 },
      { dimension: 'storage_gb_days', quantity: 1, unitPrice: null, amount: null },
      { dimension: 'custom_domain_days', quantity: 1, unitPrice: null, amount: null },
    ]);
  });
});

describe('counting', () => {
  it('fault 20: use after the clock was set back is in the roll-ups, also where its month is closed', async () => {
    const accountId = await place();
    const countedAt = async (time: string): Promise<string | undefined> => {
      setClock(time);
      while ((await foldRound(test.app)) > 0);
      return (await test.app.records.collection(usageMonths, systemScope).get(`${accountId}::2031-04`))?.total;
    };
    await close(accountId, '2031-05-10T00:00:00Z');
    await recordEvents(test.app, [use(accountId, '2031-04-10T00:00:00Z')]);
    setClock('2041-05-11T00:00:00Z');
    await recordEvents(test.app, [use(accountId, '2031-05-10T00:00:00Z')]);
    expect(await countedAt('2041-05-11T01:00:00Z')).toBe('{"searches":["1",1,0]}');
    setClock('2041-05-10T00:00:00Z');
    await recordEvents(test.app, [use(accountId, '2031-04-20T00:00:00Z', { quantity: 10 })]);
    expect(await countedAt('2041-05-12T00:00:00Z')).toBe('{"searches":["11",2,0]}');
  });
});

import type { Collection, Records } from '../../../adapters/records/port.ts';
import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import { receiveAdjustment, receiveAdjustments } from '../../../mixins/accounts/adjustments.ts';
import { accounts, organizations, type Organization } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import {
  ledgers,
  statementParts,
  statements,
  usageAdjustments,
  type Ledger,
  type Statement,
} from '../../../models/statement.ts';
import { usageEvents, type NewUsageEvent } from '../../../models/usage-event.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { finishBatches, recordEvents } from '../record.ts';
import { knownAccounts } from '../state.ts';
import { closeStep, dueOf, type CloseContext, type CloseStep } from './close.ts';
import { closeDue, type Overdue } from './intake.ts';
import { statementsOf, verifyStatements } from './verify.ts';

let test: TestApp;
let run = 0;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

function setClock(time: string): void {
  test.ahead.records = Date.parse(time) - Date.now();
}

async function placeAccount(timeZone = 'UTC', createdAt = '2031-04-02T12:00:00Z'): Promise<string> {
  run += 1;
  const _id = `account${run}-0`;
  const { records } = test.app;
  await records.collection(accounts, systemScope).insert({
    _id,
    organizationId: `${_id}-own`,
    plan: null,
    timeZone,
    // Months are begun, also the next one.
    month: '2040-01',
    createdAt: Date.parse(createdAt),
  });
  for (const name of ['own', 'sub'])
    await records
      .collection(organizations, systemScope)
      .insert({ _id: `${_id}-${name}`, accountId: _id, name } as Organization);
  return _id;
}

function search(accountId: string, id: string, at: string, quantity = 1): NewUsageEvent {
  const common = { accountId, organizationId: `${accountId}-sub`, assetId: null, metric: 'searches' as const };
  return { ...common, _id: `${accountId}-${id}`, quantity, at: Date.parse(at) };
}

const ledgerOf = async (accountId: string): Promise<Ledger> => {
  await knownAccounts(test.app, [accountId]);
  const ledger = await test.app.records.collection(ledgers, systemScope).get(accountId);
  if (ledger === null) throw new Error('there is no ledger');
  return ledger;
};

const step = async (accountId: string, app: CloseContext = test.app): Promise<CloseStep> =>
  closeStep(app, await ledgerOf(accountId), 0);

/** Does steps until nothing is due; the clock moves on where a closer that died has its lease. */
async function closeAll(accountId: string, app: CloseContext = test.app): Promise<void> {
  for (let steps = 0; steps < 100; steps += 1) {
    const done = await step(accountId, app);
    if (done.kind !== 'waits') continue;
    const { closing, lease } = await ledgerOf(accountId);
    if (closing === null) return;
    test.ahead.records = Math.max(test.ahead.records, (lease?.until ?? 0) - Date.now());
  }
  throw new Error('it does not end');
}

const allOf = (accountId: string): Promise<Statement[]> => Array.fromAsync(statementsOf(test.app, accountId));

async function expectWhole(accountId: string, months: readonly string[]): Promise<Statement[]> {
  const all = await allOf(accountId);
  expect(all.map(({ month, number }) => [month, number])).toEqual(
    months.map((month, at) => [
      month,
      `${accountId.slice(0, 8).toUpperCase()}-${month.slice(0, 4)}-${String(at + 1).padStart(6, '0')}`,
    ]),
  );
  for await (const { differences } of verifyStatements(test.app, accountId)) expect(differences).toEqual([]);
  for (const { month, attempt } of all) {
    const parts = await test.app.records
      .collection(statementParts, systemScope)
      .find({ filter: { accountId, month }, limit: 100 });
    expect(parts.filter((part) => part.attempt !== attempt)).toEqual([]);
  }
  return all;
}

/** Records whose process dies at a write: before it is done, or after. */
function dying(records: Records, at: number, isDone: boolean): Records {
  let writes = 0;
  const die = async <T>(write: () => Promise<T>): Promise<T> => {
    writes += 1;
    if (writes > at || (writes === at && !isDone)) throw new Error('killed');
    const done = await write();
    if (writes === at) throw new Error('killed');
    return done;
  };
  return {
    ...records,
    collection: <T extends StoredRecord>(definition: CollectionDefinition<T>): Collection<T> => {
      const real = records.collection(definition, systemScope);
      return {
        ...real,
        insertNew: (documents) => die(() => real.insertNew(documents)),
        update: (...given) => die(() => real.update(...given)),
        updateAll: (...given) => die(() => real.updateAll(...given)),
        removeMany: (...given) => die(() => real.removeMany(...given)),
      };
    },
  };
}

describe.each([false, true])('a closer that is killed %#', (isDone) => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('at write %d leaves a month that another one closes once', async (at) => {
    setClock('2031-04-10T00:00:00Z');
    const accountId = await placeAccount();
    await recordEvents(test.app, [search(accountId, 'a', '2031-04-10T00:00:00Z', 3)]);
    setClock('2031-05-04T00:00:00Z');
    await closeAll(accountId, { ...test.app, records: dying(test.app.records, at, isDone) }).catch(() => undefined);
    await recordEvents(test.app, [search(accountId, 'late', '2031-04-11T00:00:00Z')]);
    await closeAll(accountId);
    setClock('2031-06-04T00:00:00Z');
    await closeAll(accountId);
    const [april, may] = await expectWhole(accountId, ['2031-04', '2031-05']);
    const [own, late] = [april?.sums['searches']?.[0], may?.late['2031-04']?.['searches']?.[0] ?? '0'];
    expect(Number(own) + Number(late)).toBe(4);
  });
});

/** Records that pause at one of their operations, before or after it is done, until they are released. */
function pausing(
  records: Records,
  at: number,
  isDone: boolean,
): { records: Records; paused: Promise<void>; release(): void } {
  const paused = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let operations = 0;
  const wait = async (): Promise<void> => {
    paused.resolve();
    await released.promise;
  };
  const through = async <T>(operation: () => Promise<T>): Promise<T> => {
    const isHere = (operations += 1) === at;
    if (isHere && !isDone) await wait();
    const done = await operation();
    if (isHere && isDone) await wait();
    return done;
  };
  return {
    paused: paused.promise,
    release: released.resolve,
    records: {
      ...records,
      collection: <T extends StoredRecord>(definition: CollectionDefinition<T>): Collection<T> => {
        const real = records.collection(definition, systemScope);
        return {
          ...real,
          get: (...given) => through(() => real.get(...given)),
          getMany: (...given) => through(() => real.getMany(...given)),
          find: (...given) => through(() => real.find(...given)),
          pick: (...given) => through(() => real.pick(...given)),
          insert: (...given) => through(() => real.insert(...given)),
          insertNew: (...given) => through(() => real.insertNew(...given)),
          update: (...given) => through(() => real.update(...given)),
          remove: (...given) => through(() => real.remove(...given)),
        };
      },
    },
  };
}

/** Closes April and May; what April's statement, and May's late lines, say of April together. */
async function chargedForApril(accountId: string): Promise<{ searches: number; corrected: number }> {
  await finishBatches(test.app);
  setClock('2031-06-04T00:00:00Z');
  await closeAll(accountId);
  setClock('2031-07-04T00:00:00Z');
  await closeAll(accountId);
  const all = await expectWhole(accountId, ['2031-04', '2031-05', '2031-06']);
  const sums = all.map(({ month, sums: own, late }) => (month === '2031-04' ? own : late['2031-04']));
  return {
    searches: sums.reduce((sum, each) => sum + Number(each?.['searches']?.[0] ?? 0), 0),
    corrected: all.flatMap(({ adjustments }) => adjustments).length,
  };
}

const places = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((at) => [false, true].map((isDone): [number, boolean] => [at, isDone]));

describe('each use is charged once', () => {
  it.each(places)(
    'where its writer is paused at operation %d (done: %s) while the month closes',
    async (at, isDone) => {
      for (const isKilled of [false, true]) {
        setClock('2031-05-04T00:00:00Z');
        const accountId = await placeAccount();
        await recordEvents(test.app, [search(accountId, 'a', '2031-04-10T00:00:00Z', 3)]);
        const writer = pausing(test.app.records, at, isDone);
        const events = [
          search(accountId, 'b', '2031-04-11T00:00:00Z', 10),
          search(accountId, 'c', '2031-05-01T00:00:00Z'),
        ];
        const written = recordEvents({ ...test.app, records: writer.records }, events);
        await Promise.race([writer.paused, written]);
        await closeAll(accountId);
        const [april] = await allOf(accountId);
        if (!isKilled) {
          writer.release();
          await written;
        }
        // Its producer sends it again.
        await recordEvents(test.app, events);
        expect(await chargedForApril(accountId)).toMatchObject({ searches: 13 });
        expect((await allOf(accountId))[0]).toEqual(april);
      }
    },
  );

  it.each(places)('where its closer is paused at operation %d (done: %s)', async (at, isDone) => {
    setClock('2031-04-10T00:00:00Z');
    const accountId = await placeAccount();
    await recordEvents(test.app, [search(accountId, 'a', '2031-04-10T00:00:00Z', 3)]);
    setClock('2031-05-04T00:00:00Z');
    const closer = pausing(test.app.records, at * 4, isDone);
    const closed = closeAll(accountId, { ...test.app, records: closer.records });
    await Promise.race([closer.paused, closed]);
    await recordEvents(test.app, [search(accountId, 'b', '2031-04-11T00:00:00Z', 10)]);
    await closeAll(accountId, { ...test.app, nodeId: 'other' });
    await recordEvents(test.app, [search(accountId, 'c', '2031-04-11T00:00:00Z', 100)]);
    closer.release();
    await closed;
    expect(await chargedForApril(accountId)).toMatchObject({ searches: 113 });
  });

  it.each(places.slice(0, 8))(
    'and each correction, where its writer is paused at operation %d (done: %s)',
    async (at, isDone) => {
      for (const isKilled of [false, true]) {
        setClock('2031-05-04T00:00:00Z');
        const accountId = await placeAccount();
        const adjustments = test.app.records.collection(usageAdjustments, systemScope);
        const credit = {
          _id: `${accountId}-credit`,
          accountId,
          receivedAt: null,
          writtenAt: test.app.records.time(),
          amount: -100,
          description: 'credit',
        };
        const writer = pausing(test.app.records, at, isDone);
        const write = async (): Promise<void> => {
          await writer.records.collection(usageAdjustments, systemScope).insert(credit);
          await receiveAdjustment(writer, credit);
        };
        const written = write();
        await Promise.race([writer.paused, written]);
        await closeAll(accountId);
        const [april] = await allOf(accountId);
        if (!isKilled) {
          writer.release();
          await written;
        }
        await adjustments.insertNew([credit]);
        await receiveAdjustments(test.app);
        expect(await chargedForApril(accountId)).toEqual({ searches: 0, corrected: 1 });
        expect((await allOf(accountId))[0]).toEqual(april);
      }
    },
  );
});

it('several closers at once write one statement', async () => {
  setClock('2031-04-10T00:00:00Z');
  const accountId = await placeAccount();
  await recordEvents(test.app, [search(accountId, 'a', '2031-04-10T00:00:00Z')]);
  setClock('2031-07-10T00:00:00Z');
  await Promise.all(['one', 'two', 'three'].map((nodeId) => closeAll(accountId, { ...test.app, nodeId })));
  await closeAll(accountId);
  await expectWhole(accountId, ['2031-04', '2031-05', '2031-06']);
});

it('what is recorded before the closing is in the statement, and the rest is late, also on a clock that was set back', async () => {
  setClock('2031-05-04T00:00:00Z');
  const accountId = await placeAccount();
  await recordEvents(test.app, [search(accountId, 'before', '2031-04-10T00:00:00Z')]);
  await step(accountId);
  const { closing } = await ledgerOf(accountId);
  expect(closing?.month).toBe('2031-04');
  await recordEvents(test.app, [search(accountId, 'after', '2031-04-10T00:00:00Z', 10)]);
  await closeAll(accountId);
  setClock('2031-05-03T23:00:00Z');
  await recordEvents(test.app, [search(accountId, 'back', '2031-04-10T00:00:00Z', 100)]);
  setClock('2031-06-04T00:00:00Z');
  await closeAll(accountId);
  const [april, may] = await expectWhole(accountId, ['2031-04', '2031-05']);
  expect(april?.sums).toEqual({ searches: ['1', 1, 0] });
  expect(may?.late).toEqual({ '2031-04': { searches: ['110', 2, 0] } });
});

it('a closing that was begun while the clock was ahead is taken back', async () => {
  setClock('2031-05-09T00:00:00Z');
  const accountId = await placeAccount();
  await step(accountId);
  setClock('2031-05-01T00:00:00Z');
  await closeAll(accountId);
  expect(await allOf(accountId)).toEqual([]);
  setClock('2031-05-04T00:00:00Z');
  await closeAll(accountId);
  await expectWhole(accountId, ['2031-04']);
});

it.each([
  ['UTC', '2031-04', '2031-05-04T00:00:00Z'],
  // Months that end in summer time and begin in winter time, and the other way round.
  ['Europe/Berlin', '2031-10', '2031-11-03T23:00:00Z'],
  ['Europe/Berlin', '2031-03', '2031-04-03T22:00:00Z'],
  ['Asia/Kathmandu', '2031-04', '2031-05-03T18:15:00Z'],
  ['Pacific/Apia', '2011-12', '2012-01-03T10:00:00Z'],
  ['America/Sao_Paulo', '2018-10', '2018-11-04T03:00:00Z'],
])('in %s %s is due at %s', (timeZone, month, due) => {
  expect(new Date(dueOf(test.app, { timeZone }, month)).toISOString()).toBe(new Date(due).toISOString());
});

it.each([
  ['Europe/Berlin', '2031-10-15T00:00:00Z', '2031-10'],
  ['Asia/Kathmandu', '2031-04-15T00:00:00Z', '2031-04'],
  // Its calendar has no 30 December 2011.
  ['Pacific/Apia', '2011-12-15T00:00:00Z', '2011-12'],
])('a month in %s is charged to its last millisecond', async (timeZone, createdAt, month) => {
  setClock(createdAt);
  const accountId = await placeAccount(timeZone, createdAt);
  const dueAt = dueOf(test.app, { timeZone }, month);
  const ends = dueAt - 72 * 3_600_000;
  await recordEvents(test.app, [
    search(accountId, 'last', new Date(ends - 1).toISOString()),
    search(accountId, 'next', new Date(ends).toISOString(), 10),
  ]);
  setClock(new Date(dueAt - 1000).toISOString());
  await closeAll(accountId);
  expect(await allOf(accountId)).toEqual([]);
  setClock(new Date(dueAt).toISOString());
  await closeAll(accountId);
  const [statement] = await expectWhole(accountId, [month]);
  expect(statement?.sums).toEqual({ searches: ['1', 1, 0] });
});

it('verify names what was changed', async () => {
  setClock('2031-04-10T00:00:00Z');
  const accountId = await placeAccount();
  await recordEvents(test.app, [search(accountId, 'a', '2031-04-10T00:00:00Z')]);
  setClock('2031-05-04T00:00:00Z');
  await closeAll(accountId);
  await test.app.records
    .collection(statements, systemScope)
    .update(`${accountId}:2031-04`, {}, { set: { 'sums.searches': ['2', 1, 0] } });
  const [verified] = await Array.fromAsync(verifyStatements(test.app, accountId));
  expect(verified?.differences).toEqual([{ path: 'statement.sums.searches[0]', stored: '"2"', computed: '"1"' }]);
});

it('use of an erased account that arrives late changes none of its statements', async () => {
  setClock('2031-04-10T00:00:00Z');
  const accountId = await placeAccount('Asia/Kathmandu');
  await recordEvents(test.app, [search(accountId, 'a', '2031-04-10T00:00:00Z')]);
  setClock('2031-05-04T00:00:00Z');
  await closeAll(accountId);
  await test.app.records.collection(accounts, systemScope).remove(accountId);
  // Of the last hours of the month by UTC, and of its midst.
  const late = ['2031-04-30T23:00:00Z', '2031-04-12T00:00:00Z'].map((at) => search(accountId, at, at, 10));
  expect(await recordEvents(test.app, late)).toBe(2);
  await expectWhole(accountId, ['2031-04']);
});

it('a month that cannot be closed is overdue since it failed first, and closes once it can', async () => {
  setClock('2031-05-10T00:00:00Z');
  const accountId = await placeAccount();
  await ledgerOf(accountId);
  const events = test.app.records.collection(usageEvents, systemScope);
  const half = { ...search(accountId, 'half', '2031-04-05T00:00:00Z', 0.5), receivedAt: 0, day: '2031-04-05' };
  await events.insert(half);
  const overdue: Overdue = new Map();
  const round = (): Promise<void> => closeDue(test.app, overdue, 0, () => false);
  const seconds = async (): Promise<number> => (await test.app.metrics.statementsOverdue.get()).values[0]?.value ?? 0;
  for (let minutes = 0; minutes < 90; minutes += 1) {
    await round();
    test.ahead.records += minutes % 2 === 0 ? 1000 : 60_000;
  }
  expect(await allOf(accountId)).toEqual([]);
  expect(await seconds()).toBeGreaterThan(2600);
  await events.update(half._id, {}, { set: { quantity: 1 } });
  test.ahead.records += 60_000;
  await round();
  await round();
  expect(await allOf(accountId)).toHaveLength(1);
  expect(overdue.has(accountId)).toBe(false);
});

it('a month that another process closed, or whose account was erased, is no longer overdue', async () => {
  const events = test.app.records.collection(usageEvents, systemScope);
  const overdue: Overdue = new Map();
  const round = (): Promise<void> => closeDue(test.app, overdue, 0, () => false);
  const failing = async (): Promise<string> => {
    setClock('2031-05-10T00:00:00Z');
    const accountId = await placeAccount();
    await ledgerOf(accountId);
    const half = { ...search(accountId, 'half', '2031-04-05T00:00:00Z', 0.5), receivedAt: 0, day: '2031-04-05' };
    await events.insert(half);
    for (let rounds = 0; rounds < 3 && !overdue.has(accountId); rounds += 1) await round();
    expect(overdue.get(accountId)?.month).toBe('2031-04');
    await events.remove(half._id);
    test.ahead.records += 60_000;
    return accountId;
  };
  const closed = await failing();
  await closeAll(closed);
  await round();
  expect(overdue.has(closed)).toBe(false);
  const erased = await failing();
  expect((await ledgerOf(erased)).closing).not.toBeNull();
  await test.app.records.collection(accounts, systemScope).remove(erased);
  await round();
  expect(overdue.has(erased)).toBe(false);
});

import { testApp, type TestApp } from '../../../test/support/app.ts';
import type { Caller } from '../../../models/api.ts';
import { calendarDay, dayText } from '../../../models/calendar-day.ts';
import { accounts } from '../../../models/organization.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { loggedQueries, searchDays } from '../../../models/search-log.ts';
import { emptySettings, settingsRows, type SettingsRow } from '../../../models/settings.ts';
import { searchLogReader, type SearchLogReader } from './analytics.ts';
import { entryOf, sumEntries, type FinishedSearch, type LogEntry } from './entry.ts';
import { sweepSearchLogs } from './retention.ts';
import { openSearchLog, type SearchLog } from './search-log.ts';
import { writeBatch } from './write.ts';

const accountId = 'account';
const day = 86_400_000;
/** Offset of the tests' clock: it is about noon for them, so that no test spans midnight. */
const toNoon = day / 2 - (Date.now() % day);
let test: TestApp;
let log: SearchLog;
let reader: SearchLogReader;
let counter = 0;
let organizationId = '';
let caller: Caller;

beforeAll(async () => {
  test = await testApp();
  await test.app.records
    .collection(accounts, systemScope)
    .insert({ _id: accountId, organizationId: 'own', plan: null, timeZone: 'UTC', createdAt: 0 });
  log = openSearchLog(test.app);
  reader = searchLogReader(test.app);
});
afterAll(async () => {
  await log.stop(1000);
  await test.close();
});
beforeEach(() => {
  counter += 1;
  organizationId = `6e3ad0c8-0000-4000-8000-${String(counter).padStart(12, '0')}`;
  caller = {
    accountId,
    organizationId,
    keyId: 'key',
    keyPrefix: 'ply_test',
    keyLabel: 'test',
    keyScope: 'standard',
    requestId: 'request',
  };
  test.ahead.local = toNoon;
});

function settingsRow(id: string, searchLogDays: number): SettingsRow {
  return {
    ...emptySettings(id, 0),
    searchLogDays,
  };
}

function searched(query: string, fields: Partial<FinishedSearch> = {}): void {
  log.logSearch({
    organizationId,
    accountId,
    kind: 'search',
    query,
    principals: null,
    results: 2,
    milliseconds: 10,
    ...fields,
  });
}

async function suggestions(prefix: string, limit = 10): Promise<string[]> {
  await log.flush();
  return (await reader.suggest(caller, prefix, limit)).items.map(({ query }) => query);
}

describe('suggestions', () => {
  it('need results and three searches, and compare queries trimmed, in lower case, with inner spaces joined', async () => {
    for (const query of ['Pump seal', ' pump   SEAL', 'pump seal\n']) searched(query, { results: 3 });
    for (let at = 0; at < 2; at += 1) searched('pump oil');
    for (let at = 0; at < 5; at += 1) searched('pump void', { results: 0 });
    searched('pump void', { results: 0 });
    await log.flush();
    expect(await reader.suggest(caller, ' PU', 10)).toEqual({
      prefix: ' PU',
      items: [{ query: 'pump seal', searches: 3, meanResults: 3 }],
    });
    searched('pump oil', { results: 1 });
    searched('pump void', { results: 1 });
    await log.flush();
    expect((await reader.suggest(caller, 'pump', 10)).items).toEqual([
      { query: 'pump void', searches: 7, meanResults: 0.1 },
      { query: 'pump oil', searches: 3, meanResults: 1.7 },
      { query: 'pump seal', searches: 3, meanResults: 3 },
    ]);
    expect(await suggestions('p')).toEqual([]);
    expect(await suggestions('p ')).toEqual([]);
    expect(await suggestions('pumps')).toEqual([]);
    expect(await suggestions('pump o')).toEqual(['pump oil']);
  });

  it('of a query typed with principals need three searches without, or three different sets', async () => {
    for (let at = 0; at < 9; at += 1)
      searched('salary of ann', { principals: at % 2 === 0 ? ['b', 'a'] : ['a', 'b', 'a'] });
    searched('salary of ann', { principals: ['c'] });
    for (let at = 0; at < 2; at += 1) searched('salary of ann');
    for (let at = 0; at < 2; at += 1) searched('salary of bob', { principals: ['a'] });
    searched('salary of bob', { principals: [] });
    for (let at = 0; at < 2; at += 1) searched('salary of bob');
    expect(await suggestions('salary')).toEqual(['salary of bob']);
    searched('salary of ann', { principals: ['d'] });
    expect(await suggestions('salary')).toEqual(['salary of ann', 'salary of bob']);
  });

  it('are ordered by searches, then alphabetically, for frequent, rare and long prefixes', async () => {
    const queries = Array.from({ length: 130 }, (_, at) => ({
      query: `how to ${at % 2 === 0 ? 'mend' : 'find'} part ${String(at).padStart(3, '0')}`,
      times: 3 + (at % 4),
    }));
    for (const { query, times } of queries) for (let at = 0; at < times; at += 1) searched(query);
    const expected = (prefix: string): string[] =>
      queries
        .filter(({ query }) => query.startsWith(prefix))
        .sort((a, b) => b.times - a.times || (a.query < b.query ? -1 : 1))
        .map(({ query }) => query);
    for (const prefix of [
      'ho',
      'how',
      'how ',
      'how to',
      'how to m',
      'how to find part 01',
      'how to find part 011',
      'how to x',
    ]) {
      expect(await suggestions(prefix, 25)).toEqual(expected(prefix.trim()).slice(0, 25));
    }
  });

  it('accept characters outside the basic multilingual plane and very long queries', async () => {
    const long = `${'y'.repeat(199)}😀 and so on`;
    for (let at = 0; at < 3; at += 1) for (const query of ['😀😀 smile', long, 'z']) searched(query);
    expect(await suggestions('😀')).toEqual([]);
    expect(await suggestions('😀😀')).toEqual(['😀😀 smile']);
    expect(await suggestions('😀😀 s')).toEqual(['😀😀 smile']);
    expect(await suggestions(`${'y'.repeat(199)}😀`)).toEqual([long]);
    expect(await suggestions('z')).toEqual([]);
  });

  it('are those of the organization only', async () => {
    for (let at = 0; at < 3; at += 1) searched('secret plan');
    caller = { ...caller, organizationId: '6e3ad0c8-0000-4000-8000-ffffffffffff' };
    expect(await suggestions('secret')).toEqual([]);
  });
});

describe('the analytics', () => {
  it('list every day of the window, today last', async () => {
    test.ahead.local = toNoon - 2 * day;
    searched('older', { results: 0, milliseconds: 100 });
    await log.flush();
    test.ahead.local = toNoon;
    searched('newer', { results: 5, milliseconds: 20 });
    searched('newer', { results: 0, milliseconds: 10, kind: 'answer' });
    await log.flush();
    const today = calendarDay(test.app.runtime.now(), 'UTC');
    const answer = await reader.analytics(caller, 3, 25);
    expect(answer).toEqual({
      summary: {
        searches: 3,
        withResults: 1,
        withoutResults: 2,
        answers: 1,
        meanResults: 1.7,
        medianMilliseconds: expect.any(Number),
      },
      topQueries: [
        { query: 'newer', searches: 2, meanResults: 2.5, lastSearchedAt: expect.any(String) },
        { query: 'older', searches: 1, meanResults: 0, lastSearchedAt: expect.any(String) },
      ],
      daily: [
        { day: dayText(today - 2), searches: 1, withoutResults: 1 },
        { day: dayText(today - 1), searches: 0, withoutResults: 0 },
        { day: dayText(today), searches: 2, withoutResults: 1 },
      ],
      withoutResults: [
        { query: 'newer', searches: 1, lastSearchedAt: expect.any(String) },
        { query: 'older', searches: 1, lastSearchedAt: expect.any(String) },
      ],
      windowDays: 3,
      recordingSince: expect.any(String),
    });
    expect(Math.abs((answer.summary.medianMilliseconds ?? 0) - 20)).toBeLessThan(1.1);
    expect(answer.recordingSince).toBe(answer.withoutResults[1]?.lastSearchedAt);
    expect(Date.parse(answer.recordingSince ?? '')).toBeLessThan(test.app.runtime.now() - 2 * day + 60_000);
    const short = await reader.analytics(caller, 1, 1);
    expect([
      short.summary.searches,
      short.topQueries.length,
      short.withoutResults.map(({ query }) => query),
      short.daily.length,
    ]).toEqual([2, 1, ['newer'], 1]);
  });

  it('are zeros for an empty log', async () => {
    const { daily, ...answer } = await reader.analytics(caller, 365, 25);
    expect(answer).toEqual({
      summary: { searches: 0, withResults: 0, withoutResults: 0, answers: 0, meanResults: 0, medianMilliseconds: null },
      topQueries: [],
      withoutResults: [],
      windowDays: 365,
      recordingSince: null,
    });
    expect(daily.length).toBe(365);
  });

  it('count days in the time zone of the account', async () => {
    await test.app.records
      .collection(accounts, systemScope)
      .insert({ _id: 'far', organizationId: 'far', plan: null, timeZone: 'Pacific/Kiritimati', createdAt: 0 });
    caller = { ...caller, accountId: 'far' };
    searched('zone', { accountId: 'far' });
    await log.flush();
    expect((await reader.analytics(caller, 1, 1)).daily).toEqual([
      { day: dayText(calendarDay(test.app.runtime.now(), 'Pacific/Kiritimati')), searches: 1, withoutResults: 0 },
    ]);
  });

  it('find the top queries of a window among thousands of others, by either strategy', async () => {
    const { records } = test.app;
    const entries: LogEntry[] = [];
    for (let query = 0; query < 700; query += 1)
      for (let at = 0; at < 20 - (query % 3); at += 1)
        entries.push(
          entryOf(
            {
              organizationId,
              accountId,
              kind: 'search',
              query: `old ${query}`,
              principals: null,
              results: at % 2,
              milliseconds: 1,
            },
            test.app.runtime.now() - 20 * day,
          ),
        );
    for (let query = 0; query < 600; query += 1)
      for (let at = 0; at < 1 + (query % 5); at += 1)
        entries.push(
          entryOf(
            {
              organizationId,
              accountId,
              kind: 'search',
              query: `new ${query}`,
              principals: null,
              results: at === 0 ? 0 : 1,
              milliseconds: 1,
            },
            test.app.runtime.now(),
          ),
        );
    await writeBatch(
      records,
      { writer: 'w', number: 1 },
      sumEntries(
        entries,
        (entry) => calendarDay(entry.at, 'UTC'),
        () => true,
      ),
    );
    const short = await reader.analytics(caller, 2, 200);
    expect(short.topQueries.map(({ searches }) => searches)).toEqual([
      ...Array<number>(120).fill(5),
      ...Array<number>(80).fill(4),
    ]);
    expect(short.topQueries[0]?.query).toBe('new 104');
    expect(short.withoutResults.length).toBe(200);
    expect(new Set(short.withoutResults.map(({ searches }) => searches))).toEqual(new Set([1]));
    const long = await reader.analytics(caller, 365, 100);
    expect(new Set(long.topQueries.map(({ searches }) => searches))).toEqual(new Set([20]));
    expect(long.withoutResults[0]?.searches).toBe(10);
  });
});

describe('a batch', () => {
  const entry = (query: string, principals: string[] | null = null): LogEntry =>
    entryOf(
      { organizationId, accountId, kind: 'search', query, principals, results: 1, milliseconds: 5 },
      test.app.runtime.now(),
    );
  const sums = (entries: LogEntry[]) =>
    sumEntries(
      entries,
      ({ at }) => calendarDay(at, 'UTC'),
      () => true,
    );

  it('that is written twice or concurrently counts once', async () => {
    const { records } = test.app;
    const batch = sums([entry('twice'), entry('twice'), entry('twice', ['p']), entry('once')]);
    await Promise.all(Array.from({ length: 4 }, () => writeBatch(records, { writer: 'a', number: 1 }, batch)));
    await writeBatch(records, { writer: 'a', number: 1 }, batch);
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        writeBatch(records, { writer: `w${at}`, number: 7 }, sums([entry('twice', [`set ${at}`])])),
      ),
    );
    const [stored] = await records
      .collection(loggedQueries, scopeOf(organizationId))
      .find({ filter: { query: 'twice' }, limit: 2 });
    expect(stored).toMatchObject({ searches: 13, open: 2, results: 13, rank: -13, suggested: 'twice' });
    expect(Object.keys(stored?.sets ?? {}).length).toBe(3);
    const [counted] = await records.collection(searchDays, scopeOf(organizationId)).find({ filter: {}, limit: 2 });
    expect(counted).toMatchObject({ searches: 14, withResults: 14 });
  });

  it('that spans midnight counts on both days', async () => {
    const { records } = test.app;
    const [before, after] = [entry('midnight'), entry('midnight')];
    const batch = sumEntries(
      [before, after],
      (one) => (one === before ? 100 : 101),
      () => true,
    );
    await writeBatch(records, { writer: 'a', number: 1 }, batch);
    await writeBatch(records, { writer: 'a', number: 1 }, batch);
    await writeBatch(records, { writer: 'a', number: 2 }, sums([entry('midnight')]));
    const [stored] = await records.collection(loggedQueries, scopeOf(organizationId)).find({ filter: {}, limit: 2 });
    expect(stored).toMatchObject({ searches: 3, oldestDay: 100, days: { d100: { s: 1 }, d101: { s: 1 } } });
  });

  it('contains neither principals nor, apart from its text, anything that identifies a person', async () => {
    searched('who am i', { principals: ['person:ann'] });
    await log.flush();
    const [stored] = await test.app.records
      .collection(loggedQueries, scopeOf(organizationId))
      .find({ filter: {}, limit: 1 });
    expect(JSON.stringify(stored)).not.toContain('ann');
  });
});

describe('retention', () => {
  it('subtracts days from the sums after 90 calendar days, and removes queries without days', async () => {
    const { app, ahead } = test;
    ahead.local = toNoon - 90 * day;
    for (let at = 0; at < 3; at += 1)
      for (const query of ['tax form', 'tax return']) searched(query, { principals: [`p${at}`] });
    await log.flush();
    ahead.local = toNoon - 89 * day;
    for (let at = 0; at < 3; at += 1) searched('tax return', { results: 0 });
    await log.flush();
    ahead.local = toNoon;
    searched('tax return');
    expect(await suggestions('tax')).toEqual(['tax return', 'tax form']);
    await Promise.all([sweepSearchLogs(app, () => true), sweepSearchLogs(app, () => true)]);
    expect((await reader.suggest(caller, 'tax', 10)).items).toEqual([
      { query: 'tax return', searches: 4, meanResults: 0.5 },
    ]);
    expect(await app.records.collection(loggedQueries, scopeOf(organizationId)).count({})).toBe(1);
    const { summary, topQueries } = await reader.analytics(caller, 365, 10);
    expect([summary.searches, topQueries.map(({ searches }) => searches)]).toEqual([10, [4]]);
    ahead.local = toNoon + 2 * day;
    await sweepSearchLogs(app, () => true);
    expect(await suggestions('tax')).toEqual([]);
  });

  it('of 0 days stores no text, but counts', async () => {
    const { app } = test;
    for (let at = 0; at < 3; at += 1) searched('gone soon');
    expect(await suggestions('gone')).toEqual(['gone soon']);
    await app.records.collection(settingsRows, scopeOf(organizationId)).put(settingsRow(organizationId, 0));
    expect(await suggestions('gone')).toEqual([]);
    searched('never kept');
    await log.flush();
    expect(await reader.analytics(caller, 1, 10)).toMatchObject({
      summary: { searches: 4 },
      topQueries: [],
      withoutResults: [],
      recordingSince: null,
    });
    await sweepSearchLogs(app, () => true);
    const kept = app.records.collection(loggedQueries, scopeOf(organizationId));
    expect(await kept.count({})).toBe(0);
    await app.records.collection(settingsRows, scopeOf(organizationId)).put(settingsRow(organizationId, 1));
    test.ahead.local = toNoon + 60_000;
    searched('kept again');
    await log.flush();
    expect((await reader.analytics(caller, 1, 10)).recordingSince).not.toBeNull();
  });
});

import { randomUUID } from 'node:crypto';
import { openMongoRecords } from '../../../adapters/records/mongo/records.ts';
import type { Records } from '../../../adapters/records/port.ts';
import { startServer } from '../../../test/servers/servers.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import type { Caller } from '../../../models/api.ts';
import { calendarDay } from '../../../models/calendar-day.ts';
import { accounts, organizations } from '../../../models/organization.ts';
import { loggedQueries, searchDays, searchLogs } from '../../../models/search-log.ts';
import { settingsRows } from '../../../models/settings.ts';
import { scopeOf } from '../../../models/scope.ts';
import { searchLogReader } from './analytics.ts';
import { entryOf, sumEntries, type LogEntry } from './entry.ts';
import { sweepSearchLogs } from './retention.ts';
import { writeBatch } from './write.ts';

const day = 86_400_000;
const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const accountId = 'account';
const caller: Caller = {
  accountId,
  organizationId,
  keyId: 'key',
  keyPrefix: 'ply_test',
  keyLabel: 'test',
  keyScope: 'standard',
  requestId: 'request',
};

// All searches of a run are on one day, also around midnight.
const now = Date.now();
const runtime = { ...systemRuntime, now: () => now };

function entry(query: string, daysAgo: number, principals: string[] | null, results: number): LogEntry {
  return entryOf(
    { organizationId, accountId, kind: 'search', query, principals, results, milliseconds: 7 },
    runtime.now() - daysAgo * day,
  );
}

const server = await startServer('mongo');
if ('unavailable' in server) {
  // Reported and counted as skipped: nothing was tested.
  describe.skip(`the search log in MongoDB, NOT RUN: ${server.unavailable}`, () =>
    it('counts', () => expect(server).toHaveProperty('url')));
} else {
  const { url } = server;
  let records: Records;
  beforeAll(async () => {
    records = await openMongoRecords({ url, database: `ply_test_${randomUUID().slice(0, 8)}`, runtime });
    await records.prepare([accounts, organizations, settingsRows, searchDays, loggedQueries, searchLogs]);
  });
  afterAll(async () => {
    await records.close();
    await server.stop();
  });

  describe('the search log in MongoDB', () => {
    it('counts a batch once, sums, suggests, ranks and expires like the embedded records', async () => {
      const write = (writer: string, entries: LogEntry[]): Promise<void> =>
        writeBatch(
          records,
          { writer, number: 1 },
          sumEntries(
            entries,
            ({ at }) => calendarDay(at, 'UTC'),
            () => true,
          ),
        );
      const first = [
        entry('pump seal', 95, null, 2),
        entry('pump seal', 0, ['a'], 2),
        entry('pump oil', 0, ['a'], 1),
        entry('pump oil', 0, ['b'], 1),
        entry('nothing', 1, null, 0),
      ];
      const second = [
        entry('pump seal', 0, null, 1),
        entry('pump seal', 0, null, 0),
        entry('pump oil', 0, ['b', 'c'], 1),
      ];
      // The batch with the oldest day arrives after another, like one that a process could not write earlier.
      await write('b', second);
      await Promise.all([write('a', first), write('a', first), write('b', second)]);
      await write('a', first);
      await records
        .collection(searchLogs, scopeOf(organizationId))
        .insert({ _id: organizationId, organizationId, accountId, recordingSince: 1 });
      const reader = searchLogReader({ records, runtime });
      const pumps = [
        { query: 'pump seal', searches: 4, meanResults: 1.3 },
        { query: 'pump oil', searches: 3, meanResults: 1 },
      ];
      for (const prefix of ['pu', 'pum', 'pump', 'pump '])
        expect((await reader.suggest(caller, prefix, 10)).items).toEqual(pumps);
      expect((await reader.suggest(caller, 'pump o', 10)).items).toEqual(pumps.slice(1));
      const analytics = await reader.analytics(caller, 30, 10);
      expect(analytics.summary).toMatchObject({ searches: 7, withResults: 5, withoutResults: 2, meanResults: 0.9 });
      expect(analytics.topQueries.map(({ query, searches }) => [query, searches])).toEqual([
        ['pump oil', 3],
        ['pump seal', 3],
        ['nothing', 1],
      ]);
      expect(analytics.withoutResults.map(({ query, searches }) => [query, searches])).toEqual([
        ['nothing', 1],
        ['pump seal', 1],
      ]);
      await Promise.all([1, 2].map(() => sweepSearchLogs({ records, runtime }, () => true)));
      expect((await reader.suggest(caller, 'pump', 10)).items.map(({ query, searches }) => [query, searches])).toEqual([
        ['pump oil', 3],
      ]);
      const [seal] = await records
        .collection(loggedQueries, scopeOf(organizationId))
        .find({ filter: { query: 'pump seal' }, limit: 1 });
      expect(seal).toMatchObject({ searches: 3, open: 2, rank: -3, withoutRank: -1 });
      expect(seal).not.toHaveProperty('suggested');
    });
  });
}

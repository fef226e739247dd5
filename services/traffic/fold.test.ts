import fc from 'fast-check';
import type { Collection, Records } from '../../adapters/records/port.ts';
import { readRegions, type Region } from '../../models/region.ts';
import { systemScope } from '../../models/scope.ts';
import {
  trafficDays,
  trafficFolds,
  trafficMonths,
  trafficParts,
  trafficValueMonths,
  trafficValues,
} from '../../models/traffic.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { foldRound } from './fold.ts';
import { storeBatch } from './ingest.ts';
import { sweepTraffic } from './retention.ts';
import { sumOfHours } from './sums.ts';
import { linesOf, placeBucket, type Response } from './testing/batches.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2031, 0, 30, 22);
let test: TestApp;
let regions: Region[];
let rounds = 0;
beforeAll(async () => {
  test = await testApp();
  test.ahead.local = start + 3 * dayMs - Date.now();
  regions = await readRegions(test.app.configuration);
});
afterAll(() => test.close());

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
        insertNew: (documents) => die(() => real.insertNew(documents)),
        update: (...given) => die(() => real.update(...given)),
        remove: (...given) => die(() => real.remove(...given)),
      };
    },
  };
}

async function all<T extends StoredRecord>(definition: CollectionDefinition<T>, bucketId: string): Promise<T[]> {
  return test.app.records.collection(definition, systemScope).find({ filter: { bucketId }, limit: 10_000 });
}

async function totalOf(bucketId: string): Promise<{ bytes: number; requests: number; counted: number }> {
  const sum = { bytes: 0, requests: 0, counted: 0 };
  for (const { days } of await all(trafficMonths, bucketId))
    for (const { groups, sums } of Object.values(days)) {
      for (const [bytes, requests] of Object.values(groups)) {
        sum.bytes += bytes;
        sum.requests += requests;
      }
      sum.counted += sums?.[0] ?? 0;
    }
  return sum;
}

const response = fc.record({
  bucketId: fc.constantFrom('one', 'two'),
  at: fc.integer({ min: start, max: start + 2 * dayMs }),
  bytes: fc.oneof(fc.integer({ min: 0, max: 1e6 }), fc.constant(2 ** 40 + 1)),
  status: fc.constantFrom(200, 206, 304, 404, 500),
  country: fc.constantFrom(null, 'IN', 'DE', 'BR', 'ZA'),
  cache: fc.constantFrom('h' as const, 'm' as const, null),
  key: fc.constantFrom('a/1', 'b/1', 'c/1', 'd/1', ''),
});
const batches = fc.array(fc.array(response, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });

it('totals equal the bytes that were sent, with batches repeated, reordered, and killed between any two writes', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.infiniteStream(fc.nat(25)), fc.nat(1000), async (sent, deaths, seed) => {
      const [one, two] = [`one-${(rounds += 1)}`, `two-${rounds}`];
      const ids: { [name: string]: string } = { one, two };
      const dimensions = [{ name: 'folder', type: 'pathSegment' as const, index: 1 }];
      const analytics = { enabled: true, since: start + dayMs, dimensions, ceiling: 2 };
      await placeBucket(test.app, { _id: one }, analytics);
      await placeBucket(test.app, { _id: two });
      const named = sent.map((rows) => rows.map((row): Response => ({ ...row, bucketId: ids[row.bucketId] ?? '' })));
      const arrivals = [...named.keys(), ...named.keys()]
        .map((number, at) => ({ number, turn: ((at + 1) * (seed + 1)) % 11 }))
        .toSorted((a, b) => a.turn - b.turn);
      for (const { number } of arrivals) {
        const batch = { writer: `w${rounds}`, number: number + 1, lines: linesOf(named[number] ?? []) };
        await untilDone(deaths, (records) => storeBatch({ ...test.app, records }, regions, batch));
        // Half of the batches are folded while others still arrive.
        if ((number + seed) % 2 === 0) await untilDone(deaths, (records) => foldRound({ records }));
      }
      while ((await untilDone(deaths, (records) => foldRound({ records }))) > 0);
      const rows = named.flat();
      for (const id of [one, two]) {
        const own = rows.filter(({ bucketId }) => bucketId === id);
        const counted = own.filter(({ at }) => id === one && at >= analytics.since);
        const sumOf = (list: Response[]): number => list.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(await totalOf(id)).toEqual({ bytes: sumOf(own), requests: own.length, counted: sumOf(counted) });
        const days = await all(trafficDays, id);
        const values = await all(trafficValues, id);
        const months = await all(trafficValueMonths, id);
        expect(days.reduce((sum, { hours }) => sum + sumOfHours(hours)[0], 0)).toBe(sumOf(counted));
        expect(values.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sumOf(counted));
        expect(months.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sumOf(counted));
        for (const {
          day,
          dimensions: { folder },
        } of days) {
          const ofDay = values.filter((each) => each.day === day && !['other', '(none)'].includes(each.value));
          expect(ofDay.length).toBeLessThanOrEqual(2);
          expect(ofDay).toHaveLength(folder?.values ?? 0);
          expect(folder?.isFull).toBe(values.some((each) => each.day === day && each.value === 'other'));
        }
      }
    }),
    { numRuns: 25 },
  );
});

/** Repeats something in processes that die, until one of them gets to its end. */
async function untilDone<T>(deaths: Iterator<number>, work: (records: Records) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(dying(test.app.records, tries < 8 ? Number(deaths.next().value) : Infinity));
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'killed') throw error;
    }
  }
}

it('two processes that fold the same parts add them once', async () => {
  await placeBucket(test.app, { _id: 'shared' });
  const sent = Array.from({ length: 30 }, (_, at) => ({ bucketId: 'shared', at: start, bytes: at + 1 }));
  for (const [at, row] of sent.entries())
    await storeBatch(test.app, regions, { writer: 'shared', number: at + 1, lines: linesOf([row]) });
  for (let round = 0; round < 4; round += 1) await Promise.all([1, 2, 3].map(() => foldRound(test.app)));
  expect(await totalOf('shared')).toEqual({ bytes: (30 * 31) / 2, requests: 30, counted: 0 });
});

it('a batch that arrives when its requests are long removed does not count again', async () => {
  await placeBucket(test.app, { _id: 'late' });
  const batch = (number: number): Parameters<typeof storeBatch>[2] => ({
    writer: 'late',
    number,
    lines: linesOf([{ bucketId: 'late', at: start, bytes: 10 ** number }]),
  });
  for (const number of [1, 3]) expect(await storeBatch(test.app, regions, batch(number))).toBe(true);
  await foldRound(test.app);
  test.ahead.local += 4 * dayMs;
  await sweepTraffic(test.app);
  expect(await all(trafficParts, 'late')).toEqual([]);
  // As if the check had come before the removal: the parts are there once more.
  expect(await storeBatch(test.app, regions, batch(2))).toBe(true);
  for (const number of [1, 3]) expect(await storeBatch(test.app, regions, batch(number))).toBe(false);
  const [part] = await all(trafficParts, 'late');
  await test.app.records
    .collection(trafficParts, systemScope)
    .insertNew([{ ...part!, _id: 'late:3:late', batchId: 'late:3' }]);
  while ((await foldRound(test.app)) > 0);
  expect(await totalOf('late')).toEqual({ bytes: 1110, requests: 3, counted: 0 });
  expect((await test.app.records.collection(trafficFolds, systemScope).get('late'))?.parts).toEqual([]);
});

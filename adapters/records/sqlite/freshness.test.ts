import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCollection } from '../../../models/collection.ts';
import { systemScope } from '../../../models/scope.ts';
import type { Collection, Records } from '../port.ts';
import { Freshness } from './freshness.ts';
import { ParsedDocuments, unsure } from './parsed.ts';
import { openSqliteRecords } from './records.ts';

interface Thing {
  _id: string;
  kind: string;
  count: number;
}

const things = defineCollection<Thing>({ name: 'things', owner: 'deployment', indexes: [{ name: 'kind', fields: ['kind', '_id'] }] });

describe('what need not be read again', () => {
  const key = 'things/a';

  it('is certain of a change that was alone, and of none that another one met', () => {
    const freshness = new Freshness(new ParsedDocuments());
    const alone = freshness.sent('things', key);
    expect(freshness.ofDocument('things', key)).toBe(unsure);
    expect(freshness.done('things', alone)).toBe(true);
    expect(freshness.ofDocument('things', key)).not.toBe(unsure);
    const [first, second] = [freshness.sent('things', key), freshness.sent('things', key)];
    // Told in the other order than they were done in.
    expect(freshness.done('things', second)).toBe(false);
    expect(freshness.ofDocument('things', key)).toBe(unsure);
    expect(freshness.done('things', first)).toBe(false);
  });

  it('is not certain of a change beside which documents were removed', () => {
    const freshness = new Freshness(new ParsedDocuments());
    const change = freshness.sent('things', key);
    freshness.removed('things');
    freshness.removed('things');
    expect(freshness.done('things', change)).toBe(false);
    const before = freshness.ofDocument('things', key);
    freshness.removed('things');
    expect(freshness.ofDocument('things', key)).not.toBe(before);
    expect(freshness.ofDocument('others', 'others/a')).toBe(0);
  });

  it('forgets what it was told of changes that are done', () => {
    const parsed = new ParsedDocuments();
    const freshness = new Freshness(parsed);
    parsed.parse(key, '{"_id":"a"}', freshness.ofDocument('things', key));
    const change = freshness.sent('things', key);
    freshness.done('things', change);
    expect(parsed.unchanged(key, freshness.ofDocument('things', key))).toBeUndefined();
    parsed.learn(key, '{"_id":"a","count":2}', freshness.ofDocument('things', key));
    expect(parsed.unchanged(key, freshness.ofDocument('things', key))).toEqual({ _id: 'a', count: 2 });
  });
});

describe('documents read while they change', () => {
  let folder: string;
  let records: Records;
  let collection: Collection<Thing>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ply-records-'));
    records = await openSqliteRecords({ folder, ambient: { now: () => 0 } });
    await records.prepare([things]);
    collection = records.collection(things, systemScope);
  });
  afterAll(async () => {
    await records.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are what the last change made of them, however changes and reads are mixed', async () => {
    const patient = records.collection(things, systemScope, 'patient');
    await collection.insertNew(Array.from({ length: 5 }, (_, place) => ({ _id: `t${place}`, kind: 'one', count: 0 })));
    const counts = [0, 0, 0, 0, 0];
    let step = 0;
    const next = (most: number): number => {
      step = (step * 1103515245 + 12345) % 2147483648;
      return Math.floor((step / 2147483648) * most);
    };
    for (let round = 0; round < 400; round++) {
      const place = next(5);
      const id = `t${place}`;
      const of = next(2) === 0 ? collection : patient;
      const sent: Promise<unknown>[] = [];
      for (let time = next(3); time >= 0; time--) {
        if (next(4) === 0) {
          counts[place] = 100 + round;
          sent.push(of.put({ _id: id, kind: 'one', count: 100 + round }));
        } else {
          counts[place] = (counts[place] ?? 0) + 1;
          sent.push(of.update(id, {}, { increment: { count: 1 } }));
        }
        if (next(3) === 0) await collection.get(id);
      }
      await Promise.all(sent);
      expect((await collection.get(id))?.count).toBe(counts[place]);
      expect((await collection.getMany(['t0', 't1', 't2', 't3', 't4'])).map(({ count }) => count)).toEqual(counts);
    }
  });

  it('are gone once they were removed, by their ids or with others', async () => {
    await collection.put({ _id: 'x', kind: 'two', count: 1 });
    expect(await collection.get('x')).not.toBeNull();
    const [changed, removed] = await Promise.all([collection.update('x', {}, { increment: { count: 1 } }), collection.removeMany({ kind: 'two' }, 10)]);
    expect([changed?.count, removed]).toEqual([2, 1]);
    expect(await collection.get('x')).toBeNull();
    await collection.put({ _id: 'x', kind: 'two', count: 5 });
    await Promise.all([collection.update('x', {}, { increment: { count: 1 } }), collection.remove('x')]);
    expect(await collection.get('x')).toBeNull();
    await collection.insert({ _id: 'x', kind: 'two', count: 7 });
    expect((await collection.get('x'))?.count).toBe(7);
  });
});

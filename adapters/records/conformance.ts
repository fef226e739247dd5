import { scopeOf, systemScope } from '../../models/scope.ts';
import type { Filter, Records } from './port.ts';
import { changeConformance } from './conformance-changes.ts';
import { thing, things, type Ground, type Rounds, type Thing } from './conformance-ground.ts';
import { orderConformance } from './conformance-order.ts';
import { partsConformance } from './conformance-parts.ts';
import { scopeConformance } from './conformance-scope.ts';

/** A records store for the suite, empty. */
export interface Subject {
  records: Records;
  stop(): Promise<void>;
}

/** Registers the tests that every adapter of the records port passes. */
export function recordsConformance(
  name: string,
  start: () => Promise<Subject>,
  rounds: Rounds = { isolation: 40, readBack: 200 },
): void {
  describe(`records: ${name}`, () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await start();
      await subject.records.prepare([things]);
    });
    afterAll(() => subject.stop());
    beforeEach(async () => {
      while ((await ground.all().removeMany({}, 10_000)) > 0);
    });
    const ground: Ground = {
      records: () => subject.records,
      all: () => subject.records.collection(things, systemScope),
      of: (organizationId) => subject.records.collection(things, scopeOf(organizationId)),
    };
    documentTests(ground, rounds);
    queryTests(ground);
    partsConformance(ground);
    orderConformance(ground);
    changeConformance(ground);
    scopeConformance(ground, rounds);
  });
}

const ids = (found: Thing[]): string[] => found.map(({ _id }) => _id);

function documentTests({ records, all, of }: Ground, { readBack }: Rounds): void {
  it('preserves a document: unicode, nesting, null, fractions, large numbers', async () => {
    const kept = thing('a', {
      name: 'Ünïcode 漢字 👩‍👩‍👧 "quoted" \\ \n 🏳️‍🌈',
      number: 9007199254740991,
      inner: { count: -0.125, text: '', deep: {} },
      tags: ['é', 1, true],
      flag: false,
    });
    await all().insert(kept);
    expect(await all().get('a')).toEqual(kept);
    await all().insert(thing('b', { inner: null, number: null }));
    expect(await of('o').get('b')).toEqual(thing('b', { inner: null, number: null }));
    expect(await all().get('c')).toBeNull();
  });

  it('stores a document of two megabytes', async () => {
    const text = 'wörd '.repeat(400_000);
    await all().insert(thing('large', { inner: { text } }));
    const changed = await all().update('large', {}, { set: { 'inner.count': 1 } });
    expect(changed?.inner?.text).toBe(text);
    expect((await all().get('large'))?.inner).toEqual({ text, count: 1 });
  });

  it('reports the violated unique index', async () => {
    await all().insert(thing('a', { key: 'k' }));
    await expect(all().insert(thing('a', { name: 'other' }))).rejects.toMatchObject({
      name: 'DuplicateRecord',
      index: '_id',
    });
    await expect(all().insert(thing('b', { name: 'name of a' }))).rejects.toMatchObject({
      name: 'DuplicateRecord',
      index: 'name',
    });
    await expect(all().insert(thing('b', { key: 'k' }))).rejects.toMatchObject({
      name: 'DuplicateRecord',
      index: 'key',
    });
    await all().insert(thing('b', { key: 'k', organizationId: 'p' }));
    await expect(all().put(thing('c', { key: 'k' }))).rejects.toMatchObject({ name: 'DuplicateRecord', index: 'key' });
    await all().insert(thing('c'));
    await expect(all().update('c', {}, { set: { key: 'k' } })).rejects.toMatchObject({
      name: 'DuplicateRecord',
      index: 'key',
    });
    expect(await all().get('c')).toEqual(thing('c'));
  });

  it('allows documents without a sparse unique field, and frees a key when it is unset', async () => {
    await all().insertNew([thing('a', { key: 'k' }), thing('b'), thing('c')]);
    expect(await all().update('a', {}, { unset: ['key'] })).toEqual(thing('a'));
    expect(await all().update('b', {}, { set: { key: 'k' } })).toEqual(thing('b', { key: 'k' }));
    await expect(all().update('c', {}, { set: { key: 'k' } })).rejects.toMatchObject({ index: 'key' });
    await all().put(thing('b'));
    await all().put(thing('c', { key: 'k' }));
    expect(ids(await of('o').find({ filter: { key: 'k' }, limit: 5 }))).toEqual(['c']);
  });

  it('inserts new documents and reports which', async () => {
    await all().insert(thing('b', { number: 1 }));
    expect(
      await all().insertNew([thing('a'), thing('b', { number: 2 }), thing('c'), thing('d', { name: 'name of a' })]),
    ).toEqual(['a', 'c']);
    expect((await all().get('b'))?.number).toBe(1);
    expect(await all().insertNew([])).toEqual([]);
  });

  it('returns many documents in the requested order', async () => {
    const many = Array.from({ length: 1200 }, (_, i) => thing(`t${i}`));
    expect((await all().insertNew(many)).length).toBe(1200);
    const wanted = many.map(({ _id }) => _id).reverse();
    expect(ids(await of('o').getMany(['none', ...wanted]))).toEqual(wanted);
    expect(await of('p').getMany(wanted)).toEqual([]);
    expect(await all().getMany([])).toEqual([]);
  });

  it('returns the current state of many documents after earlier reads', async () => {
    await all().insertNew([thing('a', { number: 1 }), thing('b', { number: 1 })]);
    const numbers = async (): Promise<unknown[]> => (await of('o').getMany(['a', 'b'])).map(({ number }) => number);
    for (let time = 2; time < 12; time += 1) {
      expect(await numbers()).toEqual([time - 1, 1]);
      expect(await numbers()).toEqual([time - 1, 1]);
      await all().update('a', {}, { set: { number: time } });
      expect(await of('p').getMany(['a', 'b'])).toEqual([]);
    }
    await all().remove('a');
    expect(await numbers()).toEqual([1]);
  });

  it('replaces and removes', async () => {
    await all().put(thing('a', { number: 1, flag: true }));
    await all().put(thing('a', { number: 2 }));
    expect(await all().get('a')).toEqual(thing('a', { number: 2 }));
    expect(await all().remove('a', { number: 1 })).toBe(false);
    expect(await all().remove('a', { number: 2 })).toBe(true);
    expect(await all().remove('a')).toBe(false);
    expect(await all().count({})).toBe(0);
  });

  it('removes ten thousand in batches', async () => {
    for (let start = 0; start < 10_000; start += 1000) {
      await all().insertNew(
        Array.from({ length: 1000 }, (_, i) => thing(`t${start + i}`, { number: (start + i) % 2 })),
      );
    }
    const portions: number[] = [];
    for (
      let gone = await of('o').removeMany({ number: 1 }, 2000);
      gone > 0;
      gone = await of('o').removeMany({ number: 1 }, 2000)
    )
      portions.push(gone);
    expect(portions).toEqual([2000, 2000, 1000]);
    expect(await all().count({ number: 0 })).toBe(5000);
    expect(await all().count({ number: 1 })).toBe(0);
  });

  it('responds to a ping, has a clock and can be prepared again', async () => {
    await records().ping();
    await all().insert(thing('a'));
    await records().prepare([things]);
    expect(await all().get('a')).toEqual(thing('a'));
    expect(Math.abs(records().time() - Date.now())).toBeLessThan(5000);
  });

  it('shows a write to every read that follows it', async () => {
    await all().insert(thing('a', { number: 0 }));
    for (let turn = 1; turn <= readBack; turn += 1) {
      await all().update('a', {}, { set: { number: turn } });
      const [got, found, counted] = await Promise.all([
        all().get('a'),
        of('o').find({ filter: { tags: { $exists: false }, number: turn }, limit: 1 }),
        all().count({ number: turn }),
      ]);
      expect([got?.number, found.length, counted]).toEqual([turn, 1, 1]);
    }
  });
}

function queryTests({ all, of }: Ground): void {
  it('returns selected fields in the order of the query', async () => {
    const texts = ['a', 'a b', 'a.b', 'a/b', 'az', 'é', '\u{ff}'];
    await all().insertNew(
      [...texts].reverse().map((text, i) => thing(`t${i}`, { key: text, number: i / 2, inner: { text } })),
    );
    await all().insert(thing('other', { organizationId: 'p', key: 'b' }));
    await all().insert(thing('without', { number: null }));
    const picked = await of('o').pick({ filter: { key: { $gt: 'a' } }, sort: [['key', 1]], limit: 5 }, [
      'key',
      'number',
      '_id',
      'inner.text',
      'inner.deep.more',
    ]);
    expect(picked).toEqual([1, 2, 3, 4, 5].map((i) => [texts[i], (6 - i) / 2, `t${6 - i}`, texts[i], null]));
    expect(await of('o').pick({ filter: { key: null }, limit: 5 }, ['_id', 'key', 'number'])).toEqual([
      ['without', null, null],
    ]);
    expect(await all().pick({ filter: {}, limit: 0 }, ['_id'])).toEqual([]);
  });

  it('returns the distinct texts of a field in ascending order, by page', async () => {
    await all().insertNew(
      Array.from({ length: 30 }, (_, index) =>
        thing(`d${index}`, { number: index % 2, inner: { text: `text ${index % 7}` } }),
      ),
    );
    await all().insertNew([
      thing('foreign', { organizationId: 'p', number: 0, inner: { text: 'text 9' } }),
      thing('without', { number: 0, inner: null }),
    ]);
    const distinct = (filter: Filter, after: string, limit: number): Promise<string[]> =>
      of('o').distinct(filter, 'inner.text', { after, limit });
    expect(await distinct({}, '', 100)).toEqual([0, 1, 2, 3, 4, 5, 6].map((index) => `text ${index}`));
    expect(await distinct({ number: 0 }, 'text 1', 3)).toEqual(['text 2', 'text 3', 'text 4']);
    expect(await distinct({ number: 7 }, '', 3)).toEqual([]);
    expect(await distinct({}, '', 0)).toEqual([]);
    const owners = await all().distinct({ number: { $in: [0] } }, 'organizationId', { after: '', limit: 9 });
    expect(owners).toEqual(['o', 'p']);
  });

  it('returns the texts of a field with the largest sums of another', async () => {
    await all().insertNew(
      Array.from({ length: 30 }, (_, index) =>
        thing(`d${index}`, {
          number: index % 2,
          inner: { text: `text ${index % 5}`, count: index % 5 === 2 ? 2 ** 40 : index },
        }),
      ),
    );
    await all().insertNew([
      thing('foreign', { organizationId: 'p', number: 0, inner: { text: 'text 1', count: 1_000_000 } }),
      thing('without', { number: 0, inner: { count: 7 } }),
      thing('nothing', { number: 0, inner: { text: 'nothing' } }),
      thing('tied', { number: 0, inner: { text: 'tied', count: 90 } }),
      thing('also', { number: 0, inner: { text: 'also 30', count: 30 } }),
    ]);
    const largest = (filter: Filter, limit: number): Promise<[string, number][]> =>
      of('o').largestSums(filter, 'inner.text', 'inner.count', limit);
    expect(await largest({}, 3)).toEqual([
      ['text 2', 6 * 2 ** 40],
      ['text 4', 99],
      ['text 3', 93],
    ]);
    expect(await largest({ 'inner.text': { $ne: 'text 2' }, number: { $gte: 0, $lte: 0 } }, 9)).toEqual([
      ['tied', 90],
      ['text 3', 54],
      ['text 1', 48],
      ['text 4', 42],
      ['also 30', 30],
      ['text 0', 30],
      ['nothing', 0],
    ]);
    expect(await largest({ number: 7 }, 3)).toEqual([]);
    expect(await largest({}, 0)).toEqual([]);
    const [first] = await all().largestSums({ organizationId: { $in: ['p'] } }, 'inner.text', 'inner.count', 1);
    expect(first).toEqual(['text 1', 1_000_000]);
  });

  it('filters by every operator', async () => {
    await all().insertNew([
      thing('a', { number: 1, flag: true, tags: ['x', 1], inner: { text: 'Straße 50% [a-b] .*' } }),
      thing('b', { number: 2, flag: false, tags: ['y', true], inner: { text: 'ÄRGER über alles', count: 0 } }),
      thing('c', { number: null, tags: [], inner: null }),
      thing('d', { number: 10.5, tags: ['x', '1'] }),
    ]);
    const match = async (filter: Filter): Promise<string> => {
      const found = ids(await of('o').find({ filter, sort: [['_id', 1]], limit: 100 })).join('');
      expect(await all().count(filter)).toBe(found.length);
      return found;
    };
    expect(await match({ number: 1 })).toBe('a');
    expect(await match({ number: null })).toBe('c');
    expect(await match({ flag: true })).toBe('a');
    expect(await match({ flag: false })).toBe('b');
    expect(await match({ flag: null })).toBe('cd');
    expect(await match({ number: { $in: [1, 10.5, 7] } })).toBe('ad');
    expect(await match({ number: { $in: [1, null] } })).toBe('ac');
    expect(await match({ number: { $in: [] } })).toBe('');
    expect(await match({ number: { $ne: 1 } })).toBe('bcd');
    expect(await match({ number: { $ne: null } })).toBe('abd');
    expect(await match({ number: { $gt: 1, $lt: 11 } })).toBe('bd');
    expect(await match({ number: { $gte: 1, $lte: 2 } })).toBe('ab');
    expect(await match({ name: { $gt: 'name of b' } })).toBe('cd');
    expect(await match({ name: { $lt: 'name of b' } })).toBe('a');
    expect(await match({ name: { $gt: 1 } })).toBe('');
    expect(await match({ number: { $lt: 'z' } })).toBe('');
    expect(await match({ number: { $exists: true } })).toBe('abd');
    expect(await match({ 'inner.text': { $exists: false } })).toBe('cd');
    expect(await match({ number: { $exists: true, $ne: 2 } })).toBe('ad');
    expect(await match({ 'inner.text': { $contains: 'ärger ÜBER' } })).toBe('b');
    expect(await match({ 'inner.text': { $contains: '50% [A-B] .*' } })).toBe('a');
    expect(await match({ 'inner.text': { $contains: '.' }, number: 2 })).toBe('');
    expect(await match({ tags: { $has: 'x' } })).toBe('ad');
    expect(await match({ tags: { $has: 1 } })).toBe('a');
    expect(await match({ tags: { $has: true } })).toBe('b');
    expect(await match({ tags: { $hasAny: ['x', 'nowhere'] } })).toBe('ad');
    expect(await match({ tags: { $hasAny: [1, true] } })).toBe('ab');
    expect(await match({ tags: { $hasAny: ['1', false, 'true'] } })).toBe('d');
    expect(await match({ tags: { $hasAny: [] } })).toBe('');
    expect(await match({ name: { $hasAny: ['name of b'] } })).toBe('');
    expect(await match({ 'inner.count': 0, name: 'name of b' })).toBe('b');
    expect(await match({ _id: { $in: ['a', 'd'] } })).toBe('ad');
    expect(await match({ organizationId: 'p' })).toBe('');
    expect(await match({ name: "' OR 1=1 --" })).toBe('');
  });

  it('finds a fragment of a text at any position and length, ignoring case', async () => {
    const texts = [
      'Annual Report 2024.PDF',
      'ΟΔΟΣ',
      'Ελλάδα.txt',
      'naïve café',
      '漢字かな交じり文',
      'a_b%c*d?',
      '👩‍👩‍👧 family',
      'ab',
      '',
    ];
    await all().insertNew(texts.map((text, index) => thing(`t${index}`, { number: index, inner: { text } })));
    await all().insert(thing('foreign', { organizationId: 'p', inner: { text: 'Annual Report 2024.PDF' } }));
    const part = (text: string, start: number, end?: number): string => [...text].slice(start, end).join('');
    const needles = texts.flatMap((text) => [
      text,
      text.toLowerCase(),
      part(text, 1, 4),
      part(text, 2),
      part(text, -3),
    ]);
    for (const needle of [...needles, 'report 2023', 'ual rep', 'zzz', 'b%c', '."*', '漢字か', 'AB']) {
      // Where upper and lower case are not of one form, stores may differ.
      const expected = texts.flatMap((text, index) =>
        text.toLowerCase().includes(needle.toLowerCase()) ? [`t${index}`] : [],
      );
      const filter: Filter = { 'inner.text': { $contains: needle } };
      expect(ids(await of('o').find({ filter, sort: [['number', 1]], limit: 100 }))).toEqual(expected);
      expect(await of('o').count(filter)).toBe(expected.length);
      expect(await of('o').pick({ filter, limit: 100 }, ['_id'])).toHaveLength(expected.length);
    }
  });

  it('refuses an invalid condition', async () => {
    const misspelt: object = { $hasall: ['x'] };
    await expect(all().find({ filter: { tags: misspelt }, limit: 1 })).rejects.toThrow('no condition');
  });

  it('refuses an invalid path', async () => {
    await expect(all().find({ filter: { "a') --": 1 }, limit: 1 })).rejects.toThrow('field path');
    await expect(all().update('a', {}, { set: { '__proto__.x': 1 } })).rejects.toThrow('field path');
    await expect(all().find({ filter: { $where: 'true' }, limit: 1 })).rejects.toThrow('field path');
  });

  it('pages over equal sort values without losing or repeating documents', async () => {
    const many = Array.from({ length: 95 }, (_, i) =>
      thing(`t${String(i).padStart(3, '0')}`, { number: Math.floor(i / 30) }),
    );
    await all().insertNew(many);
    for (const direction of [1, -1] as const) {
      const walked: string[] = [];
      let after: (string | number)[] | undefined;
      for (;;) {
        const page: Thing[] = await of('o').find({
          filter: {},
          sort: [
            ['number', direction],
            ['_id', direction],
          ],
          limit: 7,
          ...(after === undefined ? {} : { after }),
        });
        walked.push(...ids(page));
        const last = page.at(-1);
        if (last === undefined) break;
        after = [last.number ?? 0, last._id];
      }
      expect(walked).toEqual(direction === 1 ? ids(many) : ids(many).reverse());
    }
    expect(
      ids(
        await of('o').find({
          filter: { number: 1 },
          sort: [
            ['number', -1],
            ['_id', 1],
          ],
          limit: 2,
          skip: 3,
        }),
      ),
    ).toEqual(['t033', 't034']);
  });
}

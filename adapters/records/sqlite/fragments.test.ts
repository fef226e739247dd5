import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemRuntime } from '../../../models/runtime.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { thing, things } from '../conformance-ground.ts';
import { candidatesOf, maxCandidates } from './fragments.ts';
import { openSqliteRecords } from './records.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ply-fragments-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openSqliteRecords({ folder, runtime: systemRuntime });
const filter = (needle: string) => ({ 'inner.text': { $contains: needle } });

/** How many rows of the file's index may hold a needle. */
function candidates(organizationId: string, needle: string): number {
  const { text, values } = candidatesOf(things, filter(needle), organizationId) ?? { text: '', values: [] };
  const database = new DatabaseSync(join(folder, 'records.db'), { readOnly: true });
  try {
    return database.prepare(text).all(...values).length;
  } finally {
    database.close();
  }
}

describe('the index of fragments', () => {
  it('reflects every kind of write, and contains nothing removed', async () => {
    const records = await open();
    await records.prepare([things]);
    const all = records.collection(things, systemScope);
    await all.insert(thing('a', { inner: { text: 'annual report' } }));
    await all.insertNew([thing('b', { inner: { text: 'annual report' } }), thing('c')]);
    await all.put(thing('d', { inner: { text: 'annual report' } }));
    await all.insert(thing('e', { organizationId: 'p', inner: { text: 'annual report' } }));
    expect(candidates('o', 'report')).toBe(3);
    await all.put(thing('d', { inner: { text: 'a letter' } }));
    await all.update('b', {}, { set: { 'inner.text': 'another letter' } });
    await all.update('c', {}, { set: { inner: { text: 'a letter' } } });
    expect([candidates('o', 'report'), candidates('o', 'letter')]).toEqual([1, 3]);
    await all.remove('a');
    await all.update('c', {}, { set: { number: 1 } });
    await all.update('d', {}, { unset: ['inner'] });
    expect([candidates('o', 'report'), candidates('o', 'letter'), candidates('p', 'report')]).toEqual([0, 2, 1]);
    await all.removeMany({ organizationId: 'o' }, 10);
    await records.purge();
    expect([candidates('o', 'letter'), candidates('p', 'report')]).toEqual([0, 1]);
    await records.close();
  });

  it('is created for a file of an earlier version, and again after such a version has written', async () => {
    const earlier = { ...things, substrings: [], indexes: things.indexes.filter(({ name }) => name !== 'page') };
    for (const id of ['a', 'b']) {
      const before = await open();
      await before.prepare([earlier]);
      const writer = new DatabaseSync(join(folder, 'records.db'));
      // The version before has no triggers.
      writer
        .prepare('INSERT INTO things (_id, doc, "organizationId", "name") VALUES (?, ?, ?, ?)')
        .run(id, JSON.stringify(thing(id, { inner: { text: 'annual report' } })), 'o', `name of ${id}`);
      if (id === 'b') writer.exec(`UPDATE things SET "inner.text" = json_extract(doc, '$.inner.text')`);
      writer.close();
      await before.close();
      const records = await open();
      await records.prepare([things]);
      const own = records.collection(things, scopeOf('o'));
      const found = await own.find({ filter: filter('report'), sort: [['_id', 1]], limit: 9 });
      expect(found.map(({ _id }) => _id)).toEqual(id === 'a' ? ['a'] : ['a', 'b']);
      expect(candidates('o', 'report')).toBe(found.length);
      await records.close();
    }
  });

  it('reflects writes after the file is opened again', async () => {
    const first = await open();
    await first.prepare([things]);
    await first.close();
    const second = await open();
    await second.collection(things, systemScope).insert(thing('a', { inner: { text: 'annual report' } }));
    expect(candidates('o', 'nual re')).toBe(1);
    await second.close();
  });

  it('is not used for common or short fragments, with the same result', async () => {
    const records = await open();
    await records.prepare([things]);
    const own = records.collection(things, scopeOf('o'));
    const many = maxCandidates + 10;
    for (let start = 0; start < many; start += 1000)
      await own.insertNew(
        Array.from({ length: Math.min(1000, many - start) }, (_, index) =>
          thing(`t${start + index}`, { number: start + index, inner: { text: `Report ${start + index}` } }),
        ),
      );
    const page = async (needle: string) =>
      (await own.find({ filter: filter(needle), sort: [['number', -1]], limit: 2 })).map(({ number }) => number);
    expect(await page('report')).toEqual([many - 1, many - 2]);
    expect(await page('re')).toEqual([many - 1, many - 2]);
    expect(await page('PORT 77')).toEqual([779, 778]);
    expect([await own.count(filter('report')), await own.count(filter('t 12')), await own.count(filter(''))]).toEqual([
      many,
      111,
      many,
    ]);
    await records.close();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { thing, things } from '../conformance-ground.ts';
import type { Records } from '../port.ts';
import { inTimeFunction } from './functions.ts';
import { Readers } from './readers.ts';
import { openSqliteRecords } from './records.ts';

let folder: string;
let records: Records | null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ply-readers-'));
  records = null;
});
afterEach(async () => {
  await records?.close();
  rmSync(folder, { recursive: true });
});

const limits = { threads: 2, maxStatementMs: 60_000, maxQueued: 100, maxQueuedPerOwner: 20 };
/** A statement that visits so many rows, asking for its time at each. */
const counting = (rows: number) => ({
  sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n WHERE ${inTimeFunction}()`,
  values: [rows],
});

/** Creates the file; answers its path. */
async function makeFile(): Promise<string> {
  await (await openSqliteRecords({ folder, runtime: systemRuntime })).close();
  return join(folder, 'records.db');
}

describe('the reader threads', () => {
  it("run one organization's statement during long ones of another", async () => {
    const readers = await Readers.open(await makeFile(), limits);
    const ended: string[] = [];
    const long = Array.from({ length: 10 }, () =>
      readers.read('large', 'things', counting(400_000)).then(() => ended.push('large')),
    );
    await readers.read('small', 'things', counting(1)).then(() => ended.push('small'));
    expect(ended).toEqual(['small']);
    await Promise.all(long);
    await readers.close();
  });

  it('read parts of documents during long statements of the same organization', async () => {
    const readers = await Readers.open(await makeFile(), limits);
    const ended: string[] = [];
    const long = Array.from({ length: 3 }, () =>
      readers.read('own', 'things', counting(400_000)).then(() => ended.push('long')),
    );
    const sql = `SELECT 0 AS key, '{"_id":"a","n":1}' AS doc`;
    const read = { sql, values: [], parts: { fields: ['_id'], list: null } };
    expect((await readers.readParts('own', 'things', read)).texts).toBe('[{"_id":"a"}]');
    expect(ended).toEqual([]);
    await Promise.all(long);
    await readers.close();
  });

  it('are shared fairly between waiting organizations', async () => {
    const readers = await Readers.open(await makeFile(), { ...limits, threads: 1 });
    const ended: string[] = [];
    const read = (owner: string) =>
      readers.read(owner, 'things', counting(1000)).then(() => {
        ended.push(owner);
      });
    const all = [...Array.from({ length: 15 }, () => read('many')), read('few'), read('few')];
    await Promise.all(all);
    expect(ended.lastIndexOf('few')).toBeLessThan(6);
    await readers.close();
  });

  it('interrupt a statement that runs too long, and continue with the next', async () => {
    const readers = await Readers.open(await makeFile(), { ...limits, maxStatementMs: 50 });
    const started = performance.now();
    await expect(readers.read('a', 'things', counting(1_000_000_000))).rejects.toMatchObject({
      name: 'StoreUnavailable',
      cause: { message: 'a statement took longer than 50 ms' },
    });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(await readers.read('a', 'things', counting(3))).toEqual(['3']);
    await readers.close();
  });

  it('refuse statements beyond the queue limit, which is lower for each organization', async () => {
    const readers = await Readers.open(await makeFile(), limits);
    const many = await Promise.allSettled(
      Array.from({ length: 30 }, () => readers.read('many', 'things', counting(1000))),
    );
    expect(many.filter(({ status }) => status === 'rejected')).toHaveLength(9);
    expect(await readers.read('other', 'things', counting(1))).toEqual(['1']);
    await readers.close();
  });

  it('limit the rows that a filter without an index visits', async () => {
    records = await openSqliteRecords({ folder, runtime: systemRuntime, maxStatementMs: 0 });
    await records.prepare([things]);
    const all = records.collection(things, systemScope);
    await all.insertNew(Array.from({ length: 1000 }, (_, index) => thing(`t${index}`)));
    await expect(all.find({ filter: { flag: true }, limit: 1 })).rejects.toMatchObject({ name: 'StoreUnavailable' });
    const own = records.collection(things, scopeOf('o'));
    await expect(own.count({ 'inner.text': { $contains: 'x' } })).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect((await own.get('t1'))?.name).toBe('name of t1');
  });
});

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemRuntime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { thing, things } from '../conformance-ground.ts';
import { openSqliteRecords } from './records.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ply-durability-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openSqliteRecords({ folder, runtime: systemRuntime });

describe('the SQLite records', () => {
  it('have all acknowledged writes after kill -9, and an intact file', async () => {
    const acknowledged = new Map<string, number>();
    for (let round = 0; round < 3; round += 1) {
      const child = fork(new URL('./testing/endless-writer.ts', import.meta.url), [folder, String(round)], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        execArgv: ['--disable-warning=ExperimentalWarning'],
      });
      const before = acknowledged.size;
      child.on('message', (written: { id: string; number: number }) => acknowledged.set(written.id, written.number));
      await new Promise<void>((resolve) => child.on('message', () => acknowledged.size >= before + 300 && resolve()));
      child.kill('SIGKILL');
      await once(child, 'close');

      const records = await open();
      const collection = records.collection(things, systemScope);
      const kept = new Map(
        (await collection.getMany([...acknowledged.keys()])).map(({ _id, number }) => [_id, number ?? -1]),
      );
      const lost = [...acknowledged].filter(([id, number]) => (kept.get(id) ?? -1) < number);
      expect(lost).toEqual([]);
      await records.close();
      const database = new DatabaseSync(join(folder, 'records.db'), { readOnly: true });
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      database.close();
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(900);
  });

  it('are open in one process at a time, and report the folder in use', async () => {
    const records = await open();
    await expect(open()).rejects.toThrow(folder);
    await expect(open()).rejects.toThrow('in use by another process');
    await records.close();
    await (await open()).close();
  });

  it('finish pending work when they close, and refuse further work', async () => {
    const records = await open();
    await records.prepare([things]);
    const collection = records.collection(things, systemScope);
    const writes = Promise.all(Array.from({ length: 500 }, (_, i) => collection.insert(thing(`t${i}`))));
    await new Promise((resolve) => setImmediate(resolve));
    await records.close();
    await writes;
    for (const late of [
      () => collection.get('t1'),
      () => collection.count({}),
      () => collection.insert(thing('x')),
      () => records.ping(),
    ]) {
      await expect(late()).rejects.toMatchObject({ name: 'StoreUnavailable' });
    }
    const again = await open();
    expect(await again.collection(things, systemScope).count({})).toBe(500);
    await again.close();
  });

  it('refuse work beyond the queue limit', async () => {
    const records = await open();
    await records.prepare([things]);
    const collection = records.collection(things, systemScope);
    const outcomes = await Promise.all(
      Array.from({ length: 25_000 }, (_, i) =>
        collection.insert(thing(`t${i}`)).then(
          () => 'in',
          (error: Error) => error.name,
        ),
      ),
    );
    const written = outcomes.filter((outcome) => outcome === 'in').length;
    expect(outcomes.filter((outcome) => outcome === 'StoreUnavailable').length).toBe(25_000 - written);
    expect(written).toBeGreaterThanOrEqual(20_000);
    expect(written).toBeLessThan(25_000);
    expect(await collection.count({})).toBe(written);
    await collection.insert(thing('after'));
    await records.close();
  });

  it('rebuild changed indexes, and drop removed ones', async () => {
    const records = await open();
    await records.prepare([things]);
    const collection = records.collection(things, systemScope);
    await collection.insert(thing('a', { key: 'k' }));
    const freer = {
      ...things,
      indexes: things.indexes.filter(({ name }) => name !== 'name').map((index) => ({ ...index, unique: false })),
    };
    await records.prepare([freer]);
    await collection.insert(thing('b', { key: 'k', name: 'name of a' }));
    await expect(records.prepare([things])).rejects.toMatchObject({ name: 'DuplicateRecord' });
    expect(await collection.count({ key: 'k' })).toBe(2);
    await records.close();
  });

  it('of an earlier layout get columns for indexed fields', async () => {
    const earlier = new DatabaseSync(join(folder, 'records.db'));
    earlier.exec('CREATE TABLE "things" (_id TEXT PRIMARY KEY NOT NULL, doc TEXT NOT NULL)');
    earlier.exec(
      `CREATE INDEX "things.name" ON "things" (json_extract(doc,'$.organizationId'), json_extract(doc,'$.name'))`,
    );
    const insert = earlier.prepare('INSERT INTO "things" VALUES (?, ?)');
    for (const document of [thing('a', { key: 'k', number: 7 }), thing('b')])
      insert.run(document._id, JSON.stringify(document));
    earlier.close();
    const records = await open();
    await records.prepare([things]);
    const collection = records.collection(things, systemScope);
    expect(await collection.find({ filter: { organizationId: 'o', key: 'k' }, limit: 2 })).toEqual([
      thing('a', { key: 'k', number: 7 }),
    ]);
    await expect(collection.insert(thing('c', { key: 'k' }))).rejects.toMatchObject({
      name: 'DuplicateRecord',
      index: 'key',
    });
    await collection.update('a', {}, { unset: ['key'] });
    await collection.insert(thing('c', { key: 'k' }));
    expect(
      (await collection.find({ filter: { organizationId: 'o', key: 'k' }, limit: 2 })).map(({ _id }) => _id),
    ).toEqual(['c']);
    await records.close();
  });

  it('report queries that scan a collection', async () => {
    const slow: string[] = [];
    const records = await openSqliteRecords({
      folder,
      runtime: systemRuntime,
      onSlowQuery: (statement) => slow.push(statement),
    });
    await records.prepare([things]);
    const collection = records.collection(things, systemScope);
    await collection.find({ filter: { name: 'x' }, limit: 1 });
    await collection.find({
      filter: { organizationId: 'o' },
      sort: [
        ['number', -1],
        ['_id', -1],
      ],
      limit: 1,
    });
    expect(slow).toEqual([]);
    await collection.count({ flag: true });
    await collection.count({ flag: true });
    expect(slow.length).toBe(1);
    await records.close();
  });
});

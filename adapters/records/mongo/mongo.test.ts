import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { systemRuntime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { startServer } from '../../../test/servers/servers.ts';
import { thing, things } from '../conformance-ground.ts';
import { recordsConformance } from '../conformance.ts';
import { openMongoRecords } from './records.ts';

const server = await startServer('mongo');
if ('unavailable' in server) {
  // Said loudly and counted as skipped: nothing was proven here.
  describe.skip(`records: MongoDB, NOT RUN: ${server.unavailable}`, () =>
    it('runs the suite', () => expect(server).toHaveProperty('url')));
} else {
  const { url } = server;
  const database = `ply_test_${randomUUID().slice(0, 8)}`;
  const open = () => openMongoRecords({ url, database, runtime: systemRuntime });
  afterAll(async () => {
    if (server.external) {
      const client = new MongoClient(url);
      await client.db(database).dropDatabase();
      await client.close();
    }
    await server.stop();
  });

  recordsConformance(
    'MongoDB',
    async () => {
      const records = await open();
      return { records, stop: () => records.close() };
    },
    { isolation: 10, readBack: 30 },
  );

  describe('the MongoDB records', () => {
    it('rebuild changed indexes, drop former ones, and keep those of a later version', async () => {
      const records = await open();
      await records.prepare([things]);
      const collection = records.collection(things, systemScope);
      await collection.insert(thing('a', { key: 'k' }));
      const client = new MongoClient(url);
      await client
        .db(database)
        .collection(things.name)
        .createIndexes([{ key: { later: 1 }, name: 'later' }]);
      const freer = {
        ...things,
        formerIndexes: ['name'],
        indexes: things.indexes.filter(({ name }) => name !== 'name').map((index) => ({ ...index, unique: false })),
      };
      await Promise.all([1, 2, 3].map(() => records.prepare([freer])));
      expect((await client.db(database).collection(things.name).indexes()).map(({ name }) => name).sort()).toEqual([
        '_id_',
        'key',
        'later',
        'page',
      ]);
      await client.close();
      await records.collection(freer, systemScope).insert(thing('b', { key: 'k', name: 'name of a' }));
      expect(await collection.count({ key: 'k' })).toBe(2);
      await collection.removeMany({}, 10);
      await records.prepare([things]);
      await collection.insert(thing('a'));
      await expect(collection.insert(thing('b', { name: 'name of a' }))).rejects.toMatchObject({ index: 'name' });
      await collection.removeMany({}, 10);
      await records.close();
    });

    (server.external ? it.skip : it)(
      'say that the store is away, in time, and go on when it is back with all that was acknowledged',
      async () => {
        const records = await open();
        await records.prepare([things]);
        const collection = records.collection(things, systemScope);
        await Promise.all(Array.from({ length: 50 }, (_, i) => collection.insert(thing(`t${i}`))));
        await server.kill();
        const started = performance.now();
        for (const work of [
          () => collection.get('t1'),
          () => collection.insert(thing('x')),
          () => collection.update('t1', {}, { set: { number: 1 } }),
          () => collection.count({}),
          () => records.ping(),
          () => open(),
        ]) {
          await expect(work()).rejects.toMatchObject({ name: 'StoreUnavailable' });
        }
        expect(performance.now() - started).toBeLessThan(60_000);
        await server.restart();
        await records.ping();
        expect(await collection.count({})).toBe(50);
        await collection.removeMany({}, 100);
        await records.close();
      },
    );

    // Only a full server explains its plans; the one for tests uses no index but unique ones.
    (server.external ? it : it.skip)('lead queries through an index (needs PLY_TEST_MONGO_URL)', async () => {
      const records = await open();
      await records.prepare([things]);
      const client = new MongoClient(url);
      const kept = client.db(database).collection(things.name);
      for (const filter of [
        { organizationId: 'o', key: 'k' },
        { name: 'x' },
        { $and: [{ organizationId: 'o' }, { number: { $gte: 1 } }] },
      ]) {
        expect(JSON.stringify(await kept.find(filter).explain('queryPlanner'))).toContain('IXSCAN');
      }
      await client.close();
      await records.close();
    });
  });
}

import { randomUUID } from 'node:crypto';
import { openMongoRecords } from '../../adapters/records/mongo/records.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { startServer } from '../../test/servers/servers.ts';
import { entitiesConformance } from './conformance.ts';

const server = await startServer('mongo');
if ('unavailable' in server) {
  // Reported and counted as skipped: nothing was proven here.
  describe.skip(`moleculer-db over MongoDB, NOT RUN: ${server.unavailable}`, () =>
    it('runs the suite', () => expect(server).toHaveProperty('url')));
} else {
  const { url } = server;
  const database = `ply_test_${randomUUID().slice(0, 8)}`;
  afterAll(() => server.stop());
  entitiesConformance('MongoDB', () => openMongoRecords({ url, database, runtime: systemRuntime }));
}

import { randomUUID } from 'node:crypto';
import { systemAmbient } from '../../../models/ambient.ts';
import { startServer } from '../../../test/servers/servers.ts';
import { recordsConformance } from '../conformance.ts';
import { openMongoRecords } from './records.ts';

const server = await startServer('mongo');
if ('unavailable' in server) {
  // Said loudly and counted as skipped: nothing was proven here.
  describe.skip(`records: MongoDB, NOT RUN: ${server.unavailable}`, () => it('runs the suite', () => expect(server).toHaveProperty('url')));
} else {
  afterAll(() => server.stop(), 60_000);
  recordsConformance('MongoDB', async () => {
    const records = await openMongoRecords({ url: server.url, database: `ply_${randomUUID().slice(0, 8)}`, ambient: systemAmbient });
    return { records, stop: () => records.close() };
  }, { isolation: 10, readBack: 30 });
}

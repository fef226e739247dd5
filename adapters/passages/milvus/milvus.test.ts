import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemAmbient } from '../../../models/ambient.ts';
import { startServer } from '../../../test/servers/servers.ts';
import { openSqliteRecords } from '../../records/sqlite/records.ts';
import { passagesConformance } from '../conformance.ts';
import { openMilvusPassages } from './milvus.ts';

const server = await startServer('milvus');

if ('unavailable' in server) {
  it.skip(`passages: Milvus (${server.unavailable})`, () => undefined);
} else {
  passagesConformance('Milvus', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
    const records = await openSqliteRecords({ folder, ambient: systemAmbient });
    const collectionPrefix = `ply_test_${systemAmbient.uuid().slice(0, 8)}`;
    const passages = await openMilvusPassages({ url: server.url, collectionPrefix, ambient: systemAmbient, records });
    return {
      passages,
      stop: async () => {
        await passages.close();
        await records.close();
        await server.stop();
        rmSync(folder, { recursive: true });
      },
    };
  });
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemAmbient } from '../../../models/ambient.ts';
import { startServer } from '../../../test/servers/servers.ts';
import { openSqliteRecords } from '../../records/sqlite/records.ts';
import { compareRetrieval } from '../conformance-comparison.ts';
import { newScope, passage, retrieval } from '../conformance-data.ts';
import { passagesConformance } from '../conformance.ts';
import { openSqlitePassages } from '../sqlite/sqlite.ts';
import { openMilvusPassages } from './milvus.ts';

const server = await startServer('milvus');

it('says that the store is unavailable when the server is away', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const records = await openSqliteRecords({ folder, ambient: systemAmbient });
  const passages = await openMilvusPassages({ url: 'http://127.0.0.1:1', collectionPrefix: 'ply_away', ambient: systemAmbient, records });
  await expect(passages.ping()).rejects.toMatchObject({ name: 'StoreUnavailable' });
  await expect(passages.write(newScope(), { assetId: 'a', revision: 1, embeddingModel: null }, [passage(0, 'word')])).rejects.toMatchObject({ name: 'StoreUnavailable' });
  // Nothing of the organization is known to lie there, so there is nothing to ask the server.
  expect((await passages.retrieve(newScope(), retrieval())).candidates).toEqual([]);
  await passages.close();
  await records.close();
  rmSync(folder, { recursive: true });
}, 120_000);

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
        rmSync(folder, { recursive: true });
      },
    };
  });

  it('answers as the embedded index does', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
    const records = await openSqliteRecords({ folder, ambient: systemAmbient });
    const milvus = await openMilvusPassages({ url: server.url, collectionPrefix: `ply_test_${systemAmbient.uuid().slice(0, 8)}`, ambient: systemAmbient, records });
    const sqlite = await openSqlitePassages({ folder, ambient: systemAmbient, readerThreads: 1 });
    await compareRetrieval(milvus, sqlite);
    await Promise.all([milvus.close(), sqlite.close()]);
    await records.close();
    rmSync(folder, { recursive: true });
  }, 240_000);

  afterAll(() => server.stop());
}

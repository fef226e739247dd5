import { ConsistencyLevelEnum, DataType, MilvusClient } from '@zilliz/milvus2-sdk-node';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { startServer } from '../../../test/servers/servers.ts';
import { openSqliteRecords } from '../../records/sqlite/records.ts';
import { compareRetrieval } from '../conformance-comparison.ts';
import { attributes, found, index, newScope, passage, retrieval, vector } from '../conformance-data.ts';
import { passagesConformance } from '../conformance.ts';
import type { Passages } from '../port.ts';
import { openSqlitePassages } from '../sqlite/sqlite.ts';
import { openMilvusPassages } from './milvus.ts';

const server = await startServer('milvus');

it('reports an unavailable store if the server is down', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  const passages = await openMilvusPassages({
    url: 'http://127.0.0.1:1',
    collectionPrefix: 'ply_away',
    runtime: systemRuntime,
    records,
  });
  await expect(passages.ping()).rejects.toMatchObject({ name: 'StoreUnavailable' });
  await expect(
    passages.write(newScope(), { assetId: 'a', revision: 1, embeddingModel: null }, [passage(0, 'word')]),
  ).rejects.toMatchObject({ name: 'StoreUnavailable' });
  // The ledger has no collections of the organization, so no request is sent to the server.
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
    const records = await openSqliteRecords({ folder, runtime: systemRuntime });
    const collectionPrefix = `ply_test_${systemRuntime.uuid().slice(0, 8)}`;
    const passages = await openMilvusPassages({ url: server.url, collectionPrefix, runtime: systemRuntime, records });
    return {
      passages,
      stop: async () => {
        await passages.close();
        await records.close();
        rmSync(folder, { recursive: true });
      },
    };
  });

  describe('rows that the ledger does not record', () => {
    const scope = newScope();
    const otherScope = newScope();
    const prefix = `ply_test_${systemRuntime.uuid().slice(0, 8)}`;
    const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
    const client = new MilvusClient({ address: server.url, logLevel: 'error' });
    afterAll(async () => {
      await client.closeConnection();
      rmSync(folder, { recursive: true });
    });
    /** An index over Milvus with a ledger of this name. */
    const open = async (name: string): Promise<{ passages: Passages; close(): Promise<void> }> => {
      const records = await openSqliteRecords({ folder: join(folder, name), runtime: systemRuntime });
      const passages = await openMilvusPassages({
        url: server.url,
        collectionPrefix: prefix,
        runtime: systemRuntime,
        records,
      });
      return { passages, close: () => Promise.all([passages.close(), records.close()]).then(() => undefined) };
    };
    const rowsOf = async (organizationId: string): Promise<string[]> => {
      const { data } = await client.showCollections();
      const answers = await Promise.all(
        data
          .filter(({ name }) => name.startsWith(prefix))
          .map(({ name }) =>
            client.query({
              collection_name: name,
              filter: `organization_id == "${organizationId}"`,
              output_fields: ['asset'],
              limit: 100,
              consistency_level: ConsistencyLevelEnum.Strong,
            }),
          ),
      );
      return answers.flatMap((answer) => answer.data.map((row) => String(row['asset']))).sort();
    };

    it('are removed with their organization', async () => {
      const first = await open('lost');
      for (const each of [scope, otherScope])
        await index(
          first.passages,
          each,
          [passage(0, 'word', { vector: vector(1) }), passage(1, 'word')],
          attributes('a'),
        );
      await first.close();
      expect(await rowsOf(scope.organizationId)).toEqual(['a', 'a']);
      const second = await open('new');
      await second.passages.removeOrganization(scope);
      expect(await rowsOf(scope.organizationId)).toEqual([]);
      expect(await rowsOf(otherScope.organizationId)).toEqual(['a', 'a']);
      await second.close();
    }, 60_000);

    it('are removed with their file', async () => {
      const first = await open('late');
      await first.passages.write(scope, { assetId: 'late', revision: 1, embeddingModel: null }, [passage(0, 'word')]);
      await first.close();
      const second = await open('kept');
      await index(second.passages, scope, [passage(0, 'word')], attributes('b'), 1, null);
      await second.passages.removeFile(scope, 'late');
      expect(await rowsOf(scope.organizationId)).toEqual(['b']);
      await second.close();
    }, 60_000);

    it('are neither read nor written if their schema differs, and the error names the differences', async () => {
      const opened = await open('form');
      const other = newScope();
      const words = `${prefix}_words`;
      await index(opened.passages, other, [passage(0, 'word')], attributes('a'), 1, null);
      expect(await found(opened.passages, other)).toEqual(['a/1/0']);
      await opened.close();
      await client.dropCollection({ collection_name: words });
      const away = await open('form');
      await expect(away.passages.retrieve(other, retrieval())).rejects.toMatchObject({
        name: 'StoreUnavailable',
        message: expect.stringContaining(
          `Milvus has no collection ${words}, which contains passages according to the records store`,
        ),
      });
      await away.close();
      const fields = [
        { name: 'id', data_type: DataType.Int64, is_primary_key: true, autoID: false },
        { name: 'body', data_type: DataType.Int64 },
        { name: 'tenant', data_type: DataType.Int64 },
        { name: 'dense', data_type: DataType.FloatVector, dim: 2 },
      ];
      await client.createCollection({ collection_name: words, fields });
      const mismatched = await open('form');
      const mismatch = {
        name: 'StoreUnavailable',
        message: expect.stringMatching(
          /ply_test_.*_words does not have the schema .* lacks organization, .*; has other types for body; also requires tenant\. Start the version that created it/,
        ),
      };
      await expect(mismatched.passages.retrieve(other, retrieval())).rejects.toMatchObject(mismatch);
      await expect(mismatched.passages.ping()).rejects.toMatchObject(mismatch);
      await expect(
        mismatched.passages.write(other, { assetId: 'b', revision: 1, embeddingModel: null }, [passage(0, 'word')]),
      ).rejects.toMatchObject(mismatch);
      await client.dropCollection({ collection_name: words });
      await mismatched.passages.ping();
      await index(mismatched.passages, other, [passage(0, 'word')], attributes('b'), 1, null);
      expect(await found(mismatched.passages, other)).toEqual(['b/1/0']);
      await mismatched.close();
    }, 60_000);
  });

  it('returns the same results as the embedded index', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
    const records = await openSqliteRecords({ folder, runtime: systemRuntime });
    const milvus = await openMilvusPassages({
      url: server.url,
      collectionPrefix: `ply_test_${systemRuntime.uuid().slice(0, 8)}`,
      runtime: systemRuntime,
      records,
    });
    const sqlite = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
    await compareRetrieval(milvus, sqlite);
    await Promise.all([milvus.close(), sqlite.close()]);
    await records.close();
    rmSync(folder, { recursive: true });
  }, 240_000);

  afterAll(() => server.stop());
}

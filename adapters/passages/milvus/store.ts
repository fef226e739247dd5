import { ConsistencyLevelEnum } from '@zilliz/milvus2-sdk-node';
import type { RowData } from '@zilliz/milvus2-sdk-node';
import { MilvusRefused } from './client.ts';
import type { Server } from './client.ts';
import { revisionRows, rowsOf } from './filter.ts';
import type { Key } from './keys.ts';
import type { ResultRow } from './rows.ts';

/** Maximum rows of one query. */
export const page = 200;
const attempts = 3;

/** Reads and changes rows of Milvus collections; each read sees all earlier writes. */
export interface Store {
  query(collection: string, filter: string, fields: readonly string[], limit: number): Promise<ResultRow[]>;
  upsert(collection: string, rows: readonly RowData[]): Promise<void>;
  remove(collection: string, filter: string): Promise<void>;
  /** Nearest rows by the dense field (a vector) or by BM25 (a text of tokens), with their scores. */
  search(
    collection: string,
    data: readonly number[] | string,
    filter: string,
    fields: readonly string[],
    limit: number,
  ): Promise<ResultRow[]>;
  /** The revision's rows with ordinals in [from, to), a page at a time, in their order. */
  rows(
    collection: string,
    file: FileRevision,
    from: number,
    to: number,
    fields: readonly string[],
  ): AsyncIterable<ResultRow[]>;
  /** Changes fields of the existing rows with these keys. */
  change(collection: string, organizationId: string, keys: readonly Key[], fields: RowData): Promise<void>;
}

/** A revision of a file. */
export interface FileRevision {
  organizationId: string;
  assetId: string;
  revision: number;
}

/** Maximum rows that Milvus returns for one search. */
export const maxRows = 16_384;

/** The store over a server. */
export function openStore(server: Server): Store {
  const store: Store = {
    async query(collection, filter, fields, limit) {
      const answer = await server.ask('query', (client) =>
        client.query({
          collection_name: collection,
          filter,
          output_fields: [...fields],
          limit,
          consistency_level: ConsistencyLevelEnum.Strong,
        }),
      );
      return answer.data;
    },
    async upsert(collection, rows) {
      if (rows.length > 0)
        await server.ask('upsert', (client) => client.upsert({ collection_name: collection, data: [...rows] }));
    },
    async remove(collection, filter) {
      await server.ask('delete', (client) => client.delete({ collection_name: collection, filter }));
    },
    async search(collection, data, filter, fields, limit) {
      const words = typeof data === 'string';
      const answer = await server.ask('search', (client) =>
        client.search({
          collection_name: collection,
          anns_field: words ? 'sparse' : 'dense',
          data: words ? data : [...data],
          metric_type: words ? 'BM25' : 'COSINE',
          filter,
          limit: Math.max(1, Math.min(limit, maxRows)),
          output_fields: [...fields],
          consistency_level: ConsistencyLevelEnum.Strong,
        }),
      );
      return answer.results;
    },
    async *rows(collection, { organizationId, assetId, revision }, from, to, fields) {
      // Ordinals are usually contiguous: each page reads a range of them and is sorted on its own.
      for (let at = from; at < to; at += page) {
        const filter = revisionRows(organizationId, assetId, revision, at, Math.min(at + page, to));
        const found = await store.query(collection, filter, ['ordinal', ...fields], page);
        found.sort((a, b) => Number(a['ordinal']) - Number(b['ordinal']));
        yield found;
      }
    },
    async change(collection, organizationId, keys, fields) {
      for (let attempt = 1; ; attempt += 1) {
        const found = await store.query(collection, rowsOf(organizationId, keys), ['id'], keys.length);
        if (found.length === 0) return;
        try {
          const data = found.map((row) => ({ id: String(row['id']), ...fields }));
          await server.ask('partial upsert', (client) =>
            client.upsert({ collection_name: collection, partial_update: true, data }),
          );
          return;
        } catch (error) {
          // If a row was removed in between, the server takes the update for an insertion and requires all fields.
          if (!(error instanceof MilvusRefused) || attempt === attempts) throw error;
        }
      }
    },
  };
  return store;
}

import { DataType, FunctionType } from '@zilliz/milvus2-sdk-node';
import type { FieldType } from '@zilliz/milvus2-sdk-node';
import { hash } from 'node:crypto';
import type { Server } from './client.ts';

/** Numbers of the vector in the collection of passages without one: Milvus wants a dense field to stay the same everywhere. */
const noVectorSize = 2;
/** What stands there. */
export const noVector: readonly number[] = [1, 0];

/** Characters of one piece of a long text: at most 3 bytes each in UTF-8, below the 65,535 bytes of a VarChar. */
export const pieceLength = 20_000;
const mostPieces = 1024;

const int64 = (name: string): FieldType => ({ name, data_type: DataType.Int64 });
const marks = (name: string): FieldType => ({ name, data_type: DataType.Array, element_type: DataType.Int64, max_capacity: 4096 });
const pieces = (name: string): FieldType => ({ name, data_type: DataType.Array, element_type: DataType.VarChar, max_capacity: mostPieces, max_length: 65_535 });
const text = (name: string): FieldType => ({ name, data_type: DataType.VarChar, max_length: 65_535 });

function fields(vectorSize: number): FieldType[] {
  return [
    { ...int64('id'), is_primary_key: true, autoID: false },
    { ...int64('organization'), is_partition_key: true },
    text('organization_id'),
    text('asset'),
    ...['file', 'revision', 'ordinal', 'length', 'version', 'kind', 'external', 'created', 'speaker', 'language'].map(int64),
    { name: 'live', data_type: DataType.Bool },
    { name: 'open', data_type: DataType.Bool },
    ...['grants0', 'grants1', 'marks0', 'marks1'].map(marks),
    text('analysed_as'),
    pieces('stems'),
    pieces('body'),
    { ...text('tokens'), enable_analyzer: true, analyzer_params: { tokenizer: 'standard' } },
    { name: 'sparse', data_type: DataType.SparseFloatVector },
    { name: 'dense', data_type: DataType.FloatVector, dim: vectorSize },
  ];
}

/** The collections of a deployment: one for each embedding model, one for passages without a vector. */
export interface Collections {
  /** Name of the collection of vectors of this model and size; null for passages without a vector. */
  nameOf(model: { id: string; size: number } | null): string;
  /** Makes and loads it where it is not there. */
  ensure(model: { id: string; size: number } | null): Promise<string>;
}

/** Names collections with the prefix and makes each at its first use. */
export function openCollections(server: Server, prefix: string): Collections {
  const ready = new Map<string, Promise<void>>();
  function nameOf(model: { id: string; size: number } | null): string {
    return model === null ? `${prefix}_words` : `${prefix}_${hash('sha256', JSON.stringify([model.id, model.size])).slice(0, 16)}`;
  }
  return {
    nameOf,
    async ensure(model) {
      const name = nameOf(model);
      const known = ready.get(name);
      const making = known ?? make(server, name, model?.size ?? noVectorSize);
      if (known === undefined) ready.set(name, making);
      try {
        await making;
      } catch (error) {
        ready.delete(name);
        throw error;
      }
      return name;
    },
  };
}

async function make(server: Server, name: string, vectorSize: number): Promise<void> {
  const present = async (): Promise<boolean> =>
    (await server.ask('hasCollection', (client) => client.hasCollection({ collection_name: name }))).value === true;
  if (!(await present())) {
    try {
      await server.ask('createCollection', (client) =>
        client.createCollection({
          collection_name: name,
          consistency_level: 'Strong',
          fields: fields(vectorSize),
          functions: [{ name: 'bm25', description: '', type: FunctionType.BM25, input_field_names: ['tokens'], output_field_names: ['sparse'], params: {} }],
          index_params: [
            // FLAT: filtered searches of approximate indexes lose results without a word.
            { field_name: 'dense', index_type: 'FLAT', metric_type: 'COSINE' },
            { field_name: 'sparse', index_type: 'SPARSE_INVERTED_INDEX', metric_type: 'BM25', params: { bm25_k1: 1.2, bm25_b: 0.75 } },
          ],
        }));
    } catch (error) {
      // Another process may have made it in between.
      if (!(await present())) throw error;
    }
  }
  await server.ask('loadCollection', (client) => client.loadCollectionSync({ collection_name: name }));
}

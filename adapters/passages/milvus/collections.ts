import { FunctionType } from '@zilliz/milvus2-sdk-node';
import { hash } from 'node:crypto';
import { StoreUnavailable } from '../unavailable.ts';
import { MilvusRefused } from './client.ts';
import type { Server } from './client.ts';
import { schemaFaultOf, fields, noVectorSize } from './form.ts';

/** The collections of a deployment: one for each embedding model, one for passages without a vector. */
export interface Collections {
  /** Name of the collection of vectors of this model and size; null for passages without a vector. */
  nameOf(model: { id: string; size: number } | null): string;
  /**
   * Returns the collection's name, after creating and loading it if it does not exist.
   * @throws StoreUnavailable if another program's collection has this name
   */
  ensure(model: { id: string; size: number } | null): Promise<string>;
  /**
   * Checks that a collection with recorded passages exists and has the schema of this version. Each collection is
   * checked once.
   * @throws StoreUnavailable, with the reason, if the check fails
   */
  expect(name: string): Promise<void>;
  /** Checks all existing collections, once. @throws StoreUnavailable */
  expectAll(): Promise<void>;
  /** Names of all existing collections, of any model. */
  all(): Promise<string[]>;
}

/** Prefixes the names of collections and creates each at its first use. */
export function openCollections(server: Server, prefix: string): Collections {
  const ready = new Map<string, Promise<void>>();
  const checked = new Map<string, Promise<void>>();
  function nameOf(model: { id: string; size: number } | null): string {
    return model === null
      ? `${prefix}_words`
      : `${prefix}_${hash('sha256', JSON.stringify([model.id, model.size])).slice(0, 16)}`;
  }
  const expect = (name: string): Promise<void> => once(checked, name, () => checkSchema(server, name));
  async function all(): Promise<string[]> {
    const { data } = await server.ask('showCollections', (client) => client.showCollections());
    return data
      .map(({ name }) => name)
      .filter(
        (name) => name.startsWith(`${prefix}_`) && /^(?:words|[0-9a-f]{16})$/.test(name.slice(prefix.length + 1)),
      );
  }
  return {
    nameOf,
    async ensure(model) {
      const name = nameOf(model);
      await once(ready, name, () => create(server, name, model?.size ?? noVectorSize));
      return name;
    },
    expect,
    // No collection has the empty name.
    expectAll: () =>
      once(checked, '', async () => {
        await Promise.all((await all()).map(expect));
      }),
    all,
  };
}

/** Runs the work of a name once; a failure is forgotten, so that the next call runs it again. */
async function once(started: Map<string, Promise<void>>, name: string, work: () => Promise<void>): Promise<void> {
  const known = started.get(name);
  const working = known ?? work();
  if (known === undefined) started.set(name, working);
  try {
    await working;
  } catch (error) {
    started.delete(name);
    throw error;
  }
}

/** Compares a collection's schema with the schema of this version. */
async function checkSchema(server: Server, name: string): Promise<void> {
  let described;
  try {
    described = await server.ask('describeCollection', (client) =>
      client.describeCollection({ collection_name: name, cache: false }),
    );
  } catch (error) {
    if (!(error instanceof MilvusRefused)) throw error;
    throw new StoreUnavailable(
      `Milvus has no collection ${name}, which contains passages according to the records store: restore it from the backup, or rebuild the index (docs/operations.md, Milvus)`,
      { cause: error },
    );
  }
  const fault = schemaFaultOf(described.schema.fields);
  if (fault !== null)
    throw new StoreUnavailable(
      `the Milvus collection ${name} does not have the schema of this version of Ply: it ${fault}. Start the version that created it, or rebuild the index (docs/operations.md, Milvus)`,
    );
}

async function create(server: Server, name: string, vectorSize: number): Promise<void> {
  const present = async (): Promise<boolean> =>
    (await server.ask('hasCollection', (client) => client.hasCollection({ collection_name: name }))).value === true;
  if (!(await present())) {
    try {
      await server.ask('createCollection', (client) =>
        client.createCollection({
          collection_name: name,
          consistency_level: 'Strong',
          fields: fields(vectorSize),
          functions: [
            {
              name: 'bm25',
              description: '',
              type: FunctionType.BM25,
              input_field_names: ['tokens'],
              output_field_names: ['sparse'],
              params: {},
            },
          ],
          index_params: [
            // FLAT: filtered searches of approximate indexes silently lose results.
            { field_name: 'dense', index_type: 'FLAT', metric_type: 'COSINE' },
            {
              field_name: 'sparse',
              index_type: 'SPARSE_INVERTED_INDEX',
              metric_type: 'BM25',
              params: { bm25_k1: 1.2, bm25_b: 0.75 },
            },
          ],
        }),
      );
    } catch (error) {
      // Another process may have created it in between.
      if (!(await present())) throw error;
    }
  }
  await checkSchema(server, name);
  await server.ask('loadCollection', (client) => client.loadCollectionSync({ collection_name: name }));
}

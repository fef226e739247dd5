import { FunctionType } from '@zilliz/milvus2-sdk-node';
import { hash } from 'node:crypto';
import { StoreUnavailable } from '../unavailable.ts';
import { MilvusRefused } from './client.ts';
import type { Server } from './client.ts';
import { faultOf, fields, noVectorSize } from './form.ts';

/** The collections of a deployment: one for each embedding model, one for passages without a vector. */
export interface Collections {
  /** Name of the collection of vectors of this model and size; null for passages without a vector. */
  nameOf(model: { id: string; size: number } | null): string;
  /** Makes and loads it where it is not there. @throws StoreUnavailable where another program's collection stands in its place */
  ensure(model: { id: string; size: number } | null): Promise<string>;
  /**
   * Sees to it that a collection in which passages are known to lie is there and has the form that this program reads: once for
   * each that is.
   * @throws StoreUnavailable, with what is the matter, where it is not so
   */
  expect(name: string): Promise<void>;
  /** The same of all that are there, once. @throws StoreUnavailable */
  expectAll(): Promise<void>;
  /** Names of all that are there, whatever models they are of. */
  all(): Promise<string[]>;
}

/** Names collections with the prefix and makes each at its first use. */
export function openCollections(server: Server, prefix: string): Collections {
  const ready = new Map<string, Promise<void>>();
  const seen = new Map<string, Promise<void>>();
  function nameOf(model: { id: string; size: number } | null): string {
    return model === null ? `${prefix}_words` : `${prefix}_${hash('sha256', JSON.stringify([model.id, model.size])).slice(0, 16)}`;
  }
  const expect = (name: string): Promise<void> => once(seen, name, () => look(server, name));
  async function all(): Promise<string[]> {
    const { data } = await server.ask('showCollections', (client) => client.showCollections());
    return data.map(({ name }) => name).filter((name) => name.startsWith(`${prefix}_`) && /^(?:words|[0-9a-f]{16})$/.test(name.slice(prefix.length + 1)));
  }
  return {
    nameOf,
    async ensure(model) {
      const name = nameOf(model);
      await once(ready, name, () => make(server, name, model?.size ?? noVectorSize));
      return name;
    },
    expect,
    // No collection has the empty name.
    expectAll: () => once(seen, '', async () => {
      await Promise.all((await all()).map(expect));
    }),
    all,
  };
}

/** Does the work of a name once, until it succeeds. */
async function once(kept: Map<string, Promise<void>>, name: string, work: () => Promise<void>): Promise<void> {
  const known = kept.get(name);
  const working = known ?? work();
  if (known === undefined) kept.set(name, working);
  try {
    await working;
  } catch (error) {
    kept.delete(name);
    throw error;
  }
}

/** Holds a collection against the form of this version. */
async function look(server: Server, name: string): Promise<void> {
  let described;
  try {
    described = await server.ask('describeCollection', (client) => client.describeCollection({ collection_name: name, cache: false }));
  } catch (error) {
    if (!(error instanceof MilvusRefused)) throw error;
    throw new StoreUnavailable(`Milvus has no collection ${name}, in which passages lie by the records: restore it from the backup, or let the index be made anew (docs/operations.md, Milvus)`, { cause: error });
  }
  const fault = faultOf(described.schema.fields);
  if (fault !== null) throw new StoreUnavailable(`the Milvus collection ${name} has another form than this version of Ply reads and writes: it ${fault}. Start the version that made it, or let the index be made anew (docs/operations.md, Milvus)`);
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
  await look(server, name);
  await server.ask('loadCollection', (client) => client.loadCollectionSync({ collection_name: name }));
}

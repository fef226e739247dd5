import type { Runtime } from '../../../models/runtime.ts';
import type { Records } from '../../records/port.ts';
import type { Passages } from '../port.ts';
import { changesOf } from './changes.ts';
import { openServer } from './client.ts';
import { openCollections } from './collections.ts';
import { openLedger } from './ledger.ts';
import { readsOf } from './retrieval.ts';
import { openStore } from './store.ts';
import { wordsOf } from './nearest-words.ts';

/**
 * Opens the passage index of a cluster: rows in Milvus at `url`, in collections whose names begin with
 * `collectionPrefix`; word statistics and the state of files in the records store. Statistics go on counting files
 * whose source is temporarily missing; only searches exclude them. A revision of many rows becomes retrievable portion
 * by portion until `publish` resolves.
 * @throws StoreUnavailable when the records store cannot be prepared. The first use of the index connects to Milvus.
 */
export async function openMilvusPassages(options: {
  url: string;
  collectionPrefix: string;
  runtime: Runtime;
  records: Records;
}): Promise<Passages> {
  const server = openServer(options.url);
  const parts = {
    store: openStore(server),
    ledger: await openLedger(options.records),
    collections: openCollections(server, options.collectionPrefix),
  };
  return {
    ...changesOf(parts),
    ...readsOf(parts),
    ...wordsOf(parts.ledger),
    // This adapter does not count the changes of an index.
    state: async () => ({ identity: await parts.ledger.identity(options.runtime.uuid()), changes: 0 }),
    async ping() {
      await server.ask('hasCollection', (client) =>
        client.hasCollection({ collection_name: parts.collections.nameOf(null) }),
      );
      // Each collection is checked once: a process that cannot read one is not ready and reports why.
      await parts.collections.expectAll();
    },
    close: () => server.close(),
  };
}

import type { Ambient } from '../../../models/ambient.ts';
import type { Records } from '../../records/port.ts';
import type { Passages } from '../port.ts';
import { changesOf } from './changes.ts';
import { openServer } from './client.ts';
import { openCollections } from './collections.ts';
import { openLedger } from './ledger.ts';
import { questionsOf } from './retrieval.ts';
import { openStore } from './store.ts';
import { wordsOf } from './words.ts';

/**
 * Opens the passage index of a cluster: rows in Milvus at `url`, in collections whose names begin with
 * `collectionPrefix`; word statistics and the state of files in the records store. Statistics go on counting files
 * whose source is missing for the moment; only searches leave them out. A revision of many rows becomes retrievable
 * portion by portion until `publish` resolves.
 * @throws StoreUnavailable when the records cannot be prepared; Milvus itself is first asked when it is needed.
 */
export async function openMilvusPassages(options: { url: string; collectionPrefix: string; ambient: Ambient; records: Records }): Promise<Passages> {
  const server = openServer(options.url);
  const parts = {
    store: openStore(server),
    ledger: await openLedger(options.records),
    collections: openCollections(server, options.collectionPrefix),
  };
  return {
    ...changesOf(parts),
    ...questionsOf(parts),
    ...wordsOf(parts.ledger),
    // What is laid down and removed is counted for no index as a whole.
    state: async () => ({ identity: await parts.ledger.identity(options.ambient.uuid()), changes: 0 }),
    async ping() {
      await server.ask('hasCollection', (client) => client.hasCollection({ collection_name: parts.collections.nameOf(null) }));
      // Each collection is looked at once: a process that cannot read one is not ready, and says why.
      await parts.collections.expectAll();
    },
    close: () => server.close(),
  };
}

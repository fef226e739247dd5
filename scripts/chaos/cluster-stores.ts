import { openServer } from '../../adapters/passages/milvus/client.ts';
import { organizationKey } from '../../adapters/passages/milvus/keys.ts';
import { openMongoRecords } from '../../adapters/records/mongo/records.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents, type UsageEvent } from '../../models/usage-event.ts';
import type { Cluster } from '../cluster/cluster.ts';

/** All usage events in the records of a cluster. */
export async function ledgerOf(cluster: Cluster): Promise<UsageEvent[]> {
  const records = await openMongoRecords({
    url: cluster.servers.mongo.url,
    database: cluster.database,
    runtime: systemRuntime,
  });
  try {
    return await records.collection(usageEvents, systemScope).find({ filter: {}, limit: 1_000_000 });
  } finally {
    await records.close();
  }
}

/** Rows that lie in a cluster's Milvus collections for these organizations, whether a search sees them or not. */
export async function countRows(cluster: Cluster, organizationIds: readonly string[]): Promise<number> {
  const server = openServer(cluster.servers.milvus.url);
  try {
    const { data } = await server.ask('showCollections', (client) => client.showCollections());
    const names = data.map(({ name }) => name).filter((name) => name.startsWith(cluster.collections));
    const filter = `organization in [${organizationIds.map(organizationKey).join(',')}]`;
    let rows = 0;
    for (const name of names) {
      const answer = await server.ask('query', (client) =>
        client.query({ collection_name: name, filter, output_fields: ['count(*)'] }),
      );
      rows += Number(answer.data[0]?.['count(*)'] ?? 0);
    }
    return rows;
  } finally {
    await server.close();
  }
}

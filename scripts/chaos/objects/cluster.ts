import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openMongoRecords } from '../../../adapters/records/mongo/records.ts';
import type { Records } from '../../../adapters/records/port.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { storedObjects } from '../../../models/storage-object.ts';
import { freePort } from '../../../test/servers/ports.ts';
import { startCluster, type Cluster } from '../../cluster/cluster.ts';
import { ApiClient } from '../client.ts';
import { countOf, injectFaults, restartServers, type FaultCounts } from '../faults.ts';
import { checkLedger } from '../ledger/roll-ups.ts';
import { checkBuckets, createBuckets, until } from './checks.ts';
import { runClients } from './load.ts';
import { StoredFiles } from './stored-files.ts';
import { checkTraffic, isFolded, isSpoolEmpty, type TrafficReport } from './traffic.ts';
import { faultsOfObjectUsage } from './usage.ts';

/** Options of the test. */
export interface ClusterObjectChaosOptions {
  /** Number of processes to kill or freeze, one every 2 to 4 seconds. */
  faults: number;
  log(line: string): void;
}

/** The result. */
export interface ClusterObjectChaosReport extends FaultCounts {
  faults: number;
  changes: { [change: string]: number };
  downloads: number;
  /** Descriptions of what did not hold; it must be empty. */
  wrong: string[];
  traffic: TrafficReport;
  serversRestarted: string[];
  unexpectedExits: { [name: string]: number };
}

const edges = 3;
const leaseSeconds = 2;
/** A frozen process pauses for longer than its lease, and than an edge may go without news. */
const freezeMs = (leaseSeconds + 6) * 1000;
const meanPauseMs = 3000;

/**
 * Kills and freezes storage processes, edges and the rest of a cluster while two organizations upload, overwrite, delete,
 * abort and download files at three edges, then compares buckets, delivery, counted traffic and charged usage with the answers.
 */
export async function clusterObjectChaos({
  faults,
  log,
}: ClusterObjectChaosOptions): Promise<ClusterObjectChaosReport | { unavailable: string }> {
  const ports = await Promise.all(Array.from({ length: edges }, freePort));
  const cluster = await startCluster({
    environment: {
      PLY_LEASE_SECONDS: String(leaseSeconds),
      PLY_RETRY_BASE_MS: '500',
      PLY_LOG_LEVEL: 'warn',
      PLY_EMBEDDING_THREADS: '1',
      PLY_OBJECTS_GRACE_SECONDS: '30',
    },
    layout: [
      { name: 'gateway', roles: 'gateway,accounts' },
      { name: 'registrar', roles: 'registrar,ledger,scheduler' },
      { name: 'storage', roles: 'storage' },
      ...ports.map((port, index) => ({
        name: `delivery-${index + 1}`,
        roles: 'delivery',
        environment: { PLY_DELIVERY_PORT: String(port) },
      })),
      { name: 'searcher', roles: 'searcher,embedder' },
    ],
    restartsOnExit: true,
    log,
  });
  if ('unavailable' in cluster) return cluster;
  const records = await openMongoRecords({
    url: cluster.servers.mongo.url,
    database: cluster.database,
    runtime: systemRuntime,
  });
  try {
    return await run(cluster, records, ports, { faults, log });
  } catch (error) {
    for (const { name } of cluster.processes)
      log(`── ${name}\n${(await readFile(join(cluster.folder, `${name}.log`), 'utf8')).slice(-1500)}`);
    throw error;
  } finally {
    await records.close();
    await cluster.stop();
  }
}

async function run(
  cluster: Cluster,
  records: Records,
  ports: readonly number[],
  { faults, log }: ClusterObjectChaosOptions,
): Promise<ClusterObjectChaosReport> {
  const own = new ApiClient(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
  const created = await own.askUntilAnswered('POST', '/api/sub-organizations', { name: 'Second' });
  const owners = [own, new ApiClient(cluster.apiUrl, String(created.body['id']), cluster.adminKey)];
  const library = new StoredFiles(await createBuckets(owners), ports, systemRuntime);
  const clients = runClients(library);
  const disturbedAt: number[] = [];
  const [counts, serversRestarted] = await Promise.all([
    injectFaults(cluster, {
      faults,
      between: [(meanPauseMs * 2) / 3, (meanPauseMs * 4) / 3],
      freezeMs,
      workers: ['storage', 'delivery'],
      injected: () => disturbedAt.push(Date.now()),
      log,
    }),
    restartServers(cluster, (faults * meanPauseMs) / 3, log),
  ]);
  await clients.end();
  await Promise.all(cluster.processes.map((program) => program.ready()));
  await checkBuckets(library, owners, ports);
  const folders = cluster.processesOf('delivery').map(({ name }) => join(cluster.folder, name));
  if (!(await until(() => Promise.resolve(isSpoolEmpty(folders))))) library.fault('traffic stays in the spool');
  if (!(await until(() => isFolded(records)))) library.fault('traffic is not added to totals');
  const hasNoOutbox = async (): Promise<boolean> =>
    (await records.collection(storedObjects, systemScope).count({ outboxDue: { $exists: true } })) === 0;
  if (!(await until(hasNoOutbox))) library.fault('what follows from changes of objects is not done');
  const { events, faults: ofLedger } = await checkLedger(records);
  library.faults.push(...ofLedger, ...(await faultsOfObjectUsage(records, events, library)));
  return {
    faults: countOf(counts),
    ...counts,
    changes: library.counts,
    downloads: library.delivered.length,
    wrong: library.faults,
    traffic: await checkTraffic(records, library.delivered, disturbedAt),
    serversRestarted,
    unexpectedExits: Object.fromEntries(
      cluster.processes.filter((program) => program.unexpectedExits > 0).map((p) => [p.name, p.unexpectedExits]),
    ),
  };
}

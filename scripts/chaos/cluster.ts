import { setTimeout as pause } from 'node:timers/promises';
import { openMongoRecords } from '../../adapters/records/mongo/records.ts';
import { systemAmbient } from '../../models/ambient.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents, type UsageEvent } from '../../models/usage-event.ts';
import { startCluster, type Cluster } from '../cluster/cluster.ts';
import type { ProgramProcess } from '../cluster/program-process.ts';
import { checkSearch, checkUsage, type Verdict } from './checker.ts';
import { ApiClient } from './client.ts';
import { serveDocuments } from './documents.ts';
import { register, settle } from './workload.ts';

/** How hard the cluster is tried. */
export interface ClusterChaosOptions {
  documents: number;
  /** Workers killed or frozen, one every 1 to 3 seconds. */
  faults: number;
  tell(line: string): void;
}

/** What came of it. */
export interface ClusterChaosReport extends Verdict {
  killed: number;
  frozen: number;
  serversRestarted: string[];
  states: { [state: string]: number };
}

const leaseSeconds = 2;
/** A frozen worker sleeps through its lease and the sweeper's round. */
const sleepMs = (leaseSeconds + 6) * 1000;

async function ledgerOf(cluster: Cluster): Promise<UsageEvent[]> {
  const records = await openMongoRecords({ url: cluster.servers.mongo.url, database: cluster.database, ambient: systemAmbient });
  try {
    return await records.collection(usageEvents, systemScope).find({ filter: {}, limit: 1_000_000 });
  } finally {
    await records.close();
  }
}

async function restartServers(cluster: Cluster, tell: (line: string) => void): Promise<string[]> {
  const restarted: string[] = [];
  for (const name of ['nats', 'redis'] as const) {
    await pause(12_000);
    tell(`  ${name} is restarted`);
    await cluster.servers[name].restart();
    restarted.push(name);
  }
  return restarted;
}

async function makeFaults(workers: readonly ProgramProcess[], faults: number, tell: (line: string) => void): Promise<{ killed: number; frozen: number }> {
  const counts = { killed: 0, frozen: 0 };
  const asleep = new Map<ProgramProcess, Promise<void>>();
  for (let count = 1; count <= faults; count++) {
    await pause(1000 + systemAmbient.random() * 2000);
    const awake = workers.filter((worker) => !asleep.has(worker));
    const victim = awake[Math.floor(systemAmbient.random() * awake.length)];
    if (victim === undefined) continue;
    if (systemAmbient.random() < 0.5) {
      await victim.kill();
      victim.start();
      counts.killed++;
    } else {
      victim.freeze();
      counts.frozen++;
      asleep.set(victim, pause(sleepMs).then(() => {
        victim.wake();
        asleep.delete(victim);
      }));
    }
    if (count % 10 === 0) tell(`  ${count} of ${faults} faults`);
  }
  await Promise.all(asleep.values());
  return counts;
}

/** Kills and freezes workers of a cluster while two organizations register documents, then holds everything against everything. */
export async function clusterChaos({ documents, faults, tell }: ClusterChaosOptions): Promise<ClusterChaosReport | { unavailable: string }> {
  const cluster = await startCluster({ environment: { PLY_LEASE_SECONDS: String(leaseSeconds), PLY_RETRY_BASE_MS: '500', PLY_LOG_LEVEL: 'warn', PLY_EMBEDDING_THREADS: '1' }, tell });
  if ('unavailable' in cluster) return cluster;
  const source = await serveDocuments();
  try {
    const own = new ApiClient(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
    const created = await own.insist('POST', '/api/sub-organizations', { name: 'Second' });
    const clients = [own, new ApiClient(cluster.apiUrl, String(created.body['id']), cluster.adminKey)];
    const workers = [...cluster.processesOf('extractor'), ...cluster.processesOf('embedder')];
    const [accepted, counts, serversRestarted] = await Promise.all([register(clients, source, documents, 120, faults * 2000), makeFaults(workers, faults, tell), restartServers(cluster, tell)]);
    const states = Object.fromEntries(await settle(accepted, 300_000));
    const search = await checkSearch(accepted, clients);
    return { ...search, ...checkUsage(accepted, await ledgerOf(cluster)), ...counts, serversRestarted, states };
  } finally {
    await source.close();
    await cluster.stop();
  }
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openServer } from '../../adapters/passages/milvus/client.ts';
import { organizationKey } from '../../adapters/passages/milvus/keys.ts';
import { openMongoRecords } from '../../adapters/records/mongo/records.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { startCluster, type Cluster } from '../cluster/cluster.ts';
import { awaitLedger, checkSearch, checkTranscripts, checkUsage, type Verdict } from './checker.ts';
import { ApiClient } from './client.ts';
import { serveDocuments } from './documents.ts';
import { countOf, injectFaults, restartServers, type FaultCounts } from './faults.ts';
import { checkLedger, type CheckedLedger } from './ledger/roll-ups.ts';
import { chunksPerRecording, serveSpeech, speechMilliseconds } from './recordings.ts';
import { readableRecordings, register, awaitJobs } from './workload.ts';

/** Options of the test. */
export interface ClusterChaosOptions {
  documents: number;
  /** Number of recordings among the documents. */
  recordings: number;
  /** Number of processes to kill or freeze, one every 1 to 3 seconds. */
  faults: number;
  log(line: string): void;
}

/** The result. */
export interface ClusterChaosReport extends Verdict {
  /** Difference between the number of passages in Milvus and of accepted documents. */
  rowCountDifference: number;
  /** What did not agree with the log of usage; it must be empty. */
  ledgerFaults: string[];
  /** Number of recordings among the documents; 0 where this machine cannot read any. */
  recordings: number;
  /** Chunks that were transcribed again: at most those that a killed or frozen worker held or could not report. */
  repeatedChunks: number;
  faults: number;
  killed: FaultCounts['killed'];
  frozen: FaultCounts['frozen'];
  /** Number of exits without a kill, by process. */
  unexpectedExits: { [name: string]: number };
  serversRestarted: string[];
  states: { [state: string]: number };
}

const leaseSeconds = 2;
/** A frozen worker pauses for longer than its lease and the sweeper's round. */
const freezeMs = (leaseSeconds + 6) * 1000;
const meanPauseMs = 2000;

/**
 * Kills and freezes processes of a cluster while two organizations register documents, then checks all stores against
 * each other.
 */
export async function clusterChaos({
  documents,
  recordings,
  faults,
  log,
}: ClusterChaosOptions): Promise<ClusterChaosReport | { unavailable: string }> {
  const source = await serveDocuments();
  const speech = await serveSpeech((recording) => source.spokenTextOf(recording), speechMilliseconds);
  const cluster = await startCluster({
    environment: {
      PLY_SPEECH_URL: speech.url,
      PLY_LEASE_SECONDS: String(leaseSeconds),
      PLY_RETRY_BASE_MS: '500',
      PLY_LOG_LEVEL: 'warn',
      PLY_EMBEDDING_THREADS: '1',
    },
    restartsOnExit: true,
    log,
  });
  if ('unavailable' in cluster) {
    await Promise.all([source.close(), speech.close()]);
    return cluster;
  }
  try {
    const own = new ApiClient(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
    const created = await own.askUntilAnswered('POST', '/api/sub-organizations', { name: 'Second' });
    const clients = [own, new ApiClient(cluster.apiUrl, String(created.body['id']), cluster.adminKey)];
    const reads = await readableRecordings(own, recordings, log);
    const durationMs = faults * meanPauseMs;
    const [accepted, counts, serversRestarted] = await Promise.all([
      register(clients, source, { count: documents, recordings: reads, words: 120, milliseconds: durationMs }),
      injectFaults(cluster, { faults, between: [meanPauseMs / 2, (meanPauseMs * 3) / 2], freezeMs, log }),
      restartServers(cluster, durationMs / 3, log),
    ]);
    log(`  ${accepted.length} documents are accepted`);
    const states = Object.fromEntries(await awaitJobs(accepted, 300_000));
    await Promise.all(cluster.processes.map((program) => program.ready()));
    const search = { ...(await checkSearch(accepted, clients)), ...(await checkTranscripts(accepted)) };
    const rows = await countRows(
      cluster,
      clients.map(({ organizationId }) => organizationId),
    );
    await awaitLedger(async () => checkUsage(accepted, (await ledgerOf(cluster)).events).usageLost === 0);
    const unexpectedExits = Object.fromEntries(
      cluster.processes
        .filter((program) => program.unexpectedExits > 0)
        .map((program) => [program.name, program.unexpectedExits]),
    );
    const { events, faults: ledgerFaults } = await ledgerOf(cluster);
    // Each document and each recording is one passage.
    const rowCountDifference = Math.abs(rows - accepted.length);
    return {
      ...search,
      ...checkUsage(accepted, events),
      ledgerFaults,
      rowCountDifference,
      recordings: reads,
      repeatedChunks: speech.requests() - reads * chunksPerRecording,
      faults: countOf(counts),
      ...counts,
      unexpectedExits,
      serversRestarted,
      states,
    };
  } catch (error) {
    for (const { name } of cluster.processes)
      log(`── ${name}\n${(await readFile(join(cluster.folder, `${name}.log`), 'utf8')).slice(-1500)}`);
    throw error;
  } finally {
    await cluster.stop();
    await Promise.all([source.close(), speech.close()]);
  }
}

/** The log of usage in the records of a cluster, and what does not agree with it. */
async function ledgerOf(cluster: Cluster): Promise<CheckedLedger> {
  const records = await openMongoRecords({
    url: cluster.servers.mongo.url,
    database: cluster.database,
    runtime: systemRuntime,
  });
  try {
    return await checkLedger(records);
  } finally {
    await records.close();
  }
}

/** The number of rows of these organizations in Milvus, published or not. */
async function countRows(cluster: Cluster, organizationIds: readonly string[]): Promise<number> {
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

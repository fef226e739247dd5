import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster } from '../cluster/cluster.ts';
import { awaitLedger, checkSearch, checkTranscripts, checkUsage, type Verdict } from './checker.ts';
import { ApiClient } from './client.ts';
import { countRows, ledgerOf } from './cluster-stores.ts';
import { serveDocuments } from './documents.ts';
import { countOf, makeFaults, restartServers, type FaultCounts } from './faults.ts';
import { piecesOfRecording, serveSpeech, speechMilliseconds } from './recordings.ts';
import { readableRecordings, register, settle } from './workload.ts';

/** Options of the test. */
export interface ClusterChaosOptions {
  documents: number;
  /** Number of recordings among the documents. */
  recordings: number;
  /** Processes killed or frozen, one every 1 to 3 seconds. */
  faults: number;
  log(line: string): void;
}

/** The result. */
export interface ClusterChaosReport extends Verdict {
  /** Surplus and missing passages in Milvus. */
  rowsAstray: number;
  /** How many of the documents were recordings: none where this machine cannot read any. */
  recordings: number;
  /**
   * Pieces of recordings that were transcribed again: at most those that a killed or frozen worker had in hand, or
   * could not say were done.
   */
  piecesAgain: number;
  faults: number;
  killed: FaultCounts['killed'];
  frozen: FaultCounts['frozen'];
  /** Number of processes that ended without a kill. */
  endedByThemselves: { [name: string]: number };
  serversRestarted: string[];
  states: { [state: string]: number };
}

const leaseSeconds = 2;
/** A frozen worker pauses for longer than its lease and the sweeper's round. */
const sleepMs = (leaseSeconds + 6) * 1000;
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
  const speech = await serveSpeech((recording) => source.saidIn(recording), speechMilliseconds);
  const cluster = await startCluster({
    environment: {
      PLY_SPEECH_URL: speech.url,
      PLY_LEASE_SECONDS: String(leaseSeconds),
      PLY_RETRY_BASE_MS: '500',
      PLY_LOG_LEVEL: 'warn',
      PLY_EMBEDDING_THREADS: '1',
    },
    isKept: true,
    log,
  });
  if ('unavailable' in cluster) {
    await Promise.all([source.close(), speech.close()]);
    return cluster;
  }
  try {
    const own = new ApiClient(cluster.apiUrl, cluster.organizationId, cluster.adminKey);
    const created = await own.insist('POST', '/api/sub-organizations', { name: 'Second' });
    const clients = [own, new ApiClient(cluster.apiUrl, String(created.body['id']), cluster.adminKey)];
    const reads = await readableRecordings(own, recordings, log);
    const lasting = faults * meanPauseMs;
    const [accepted, counts, serversRestarted] = await Promise.all([
      register(clients, source, { count: documents, recordings: reads, words: 120, milliseconds: lasting }),
      makeFaults(cluster, { faults, between: [meanPauseMs / 2, (meanPauseMs * 3) / 2], sleepMs, log }),
      restartServers(cluster, lasting / 3, log),
    ]);
    log(`  ${accepted.length} documents are accepted`);
    const states = Object.fromEntries(await settle(accepted, 300_000));
    await Promise.all(cluster.processes.map((program) => program.ready()));
    const search = { ...(await checkSearch(accepted, clients)), ...(await checkTranscripts(accepted)) };
    const rows = await countRows(
      cluster,
      clients.map(({ organizationId }) => organizationId),
    );
    await awaitLedger(async () => checkUsage(accepted, await ledgerOf(cluster)).usageLost === 0);
    const endedByThemselves = Object.fromEntries(
      cluster.processes
        .filter((program) => program.endedByItself > 0)
        .map((program) => [program.name, program.endedByItself]),
    );
    // Each document is one passage long, a recording as well.
    const rowsAstray = Math.abs(rows - accepted.length);
    return {
      ...search,
      ...checkUsage(accepted, await ledgerOf(cluster)),
      rowsAstray,
      recordings: reads,
      piecesAgain: speech.asked() - reads * piecesOfRecording,
      faults: countOf(counts),
      ...counts,
      endedByThemselves,
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

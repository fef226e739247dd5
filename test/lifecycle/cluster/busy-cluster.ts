import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddingsDouble } from '../../../adapters/embeddings/openai/test-server.ts';
import { startCluster, type Cluster } from '../../../scripts/cluster/cluster.ts';
import { Client } from '../../api/support/client.ts';
import { Source } from '../../api/support/source.ts';
import { s3TestKey, startS3Gateway } from '../../servers/s3.ts';
import { commandLine, type CommandLine } from '../../support/command-line.ts';

/** A small cluster with all stores, texts in an S3-compatible store, and vectors from a server. */
export interface BusyCluster {
  cluster: Cluster;
  /** Folder of the object store. */
  objects: string;
  source: Source;
  admin: Client;
  standard: Client;
  ply: CommandLine;
  /** Folder of the command line, for exports. */
  folder: string;
  /** Kills both processes and starts them again. */
  killAndStart(): Promise<void>;
  stop(): Promise<void>;
}

const dimensions = 16;
const layout = [
  { name: 'front', roles: 'gateway,accounts,registrar,ledger,connectors,searcher' },
  { name: 'back', roles: 'scheduler,extractor,embedder' },
];

/** Starts it, or returns which server is not available. */
export async function startBusyCluster(): Promise<BusyCluster | { unavailable: string }> {
  const gateway = await startS3Gateway();
  if (typeof gateway === 'string') return { unavailable: gateway };
  const model = new EmbeddingsDouble(dimensions);
  const endServers = (): Promise<unknown> => Promise.all([gateway.stop(), model.stop()]);
  const cluster = await startCluster({
    layout,
    environment: {
      PLY_BLOBS_URL: `s3+http://${s3TestKey.accessKeyId}:${s3TestKey.secretAccessKey}@${gateway.host}/texts`,
      PLY_EMBEDDINGS_URL: await model.start(),
      PLY_EMBEDDINGS_DIMENSIONS: String(dimensions),
      PLY_RETRY_BASE_MS: '40',
      PLY_LEASE_SECONDS: '2',
    },
  }).catch(async (error: unknown) => {
    await endServers();
    throw error;
  });
  if ('unavailable' in cluster) {
    await endServers();
    return cluster;
  }
  const source = new Source();
  await source.start();
  const folder = mkdtempSync(join(tmpdir(), 'ply-busy-'));
  return {
    cluster,
    source,
    folder,
    objects: gateway.folder,
    admin: new Client(cluster.apiUrl, cluster.organizationId, cluster.adminKey),
    standard: new Client(cluster.apiUrl, cluster.organizationId, cluster.standardKey),
    ply: commandLine({ ...cluster.environment, PLY_DATA_DIR: join(folder, 'data') }, folder),
    killAndStart: async () => {
      await Promise.all(cluster.processes.map((program) => program.kill()));
      for (const program of cluster.processes) program.start();
      await Promise.all(cluster.processes.map((program) => program.ready()));
    },
    stop: async () => {
      await cluster.stop();
      await Promise.all([endServers(), source.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

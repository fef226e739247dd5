import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProgramProcess } from '../../../scripts/cluster/program-process.ts';
import { projectRoot } from '../../../scripts/setup/paths.mjs';
import { freePort } from '../../servers/ports.ts';
import { Client } from './client.ts';
import { joinCluster } from './cluster.ts';
import { Source } from './source.ts';

/** Whether the embedding model for tests of semantic search is installed. */
export const modelIsInstalled = existsSync(join(projectRoot, '.cache/models/all-MiniLM-L6-v2/model.onnx'));

/** The program in a separate process with its own data folder, and a source of files. */
export interface TestProgram {
  process: ProgramProcess;
  /** Its data folder. */
  folder: string;
  logFile: string;
  url: string;
  metricsUrl: string;
  organizationId: string;
  admin: Client;
  standard: Client;
  source: Source;
  /** Starts it and waits until it is ready. */
  start(): Promise<void>;
  /** Stops everything and removes the folder. */
  end(): Promise<void>;
}

/**
 * Starts the program without a model and with short intervals, unless `environment` differs. Files may be read from
 * loopback addresses. With `PLY_TEST_CLUSTER`, the running cluster is used instead.
 */
export async function startTestProgram(environment: Record<string, string> = {}): Promise<TestProgram> {
  const cluster = await joinCluster();
  if (cluster !== null) return cluster;
  const folder = mkdtempSync(join(tmpdir(), 'ply-api-'));
  const [port, metricsPort] = [await freePort(), await freePort()];
  const organizationId = randomUUID();
  const [adminKey, standardKey] = [`ply_admin_${randomUUID()}`, `ply_standard_${randomUUID()}`];
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(folder, 'program.log');
  const program = new ProgramProcess({
    name: 'program',
    healthUrl: `${url}/health/ready`,
    logFile,
    environment: {
      PLY_API_PORT: String(port),
      PLY_METRICS_PORT: String(metricsPort),
      PLY_DELIVERY_PORT: '0',
      PLY_UPLOAD_PORT: '0',
      PLY_S3_PORT: '0',
      PLY_BLOB_PORT: '0',
      PLY_DATA_DIR: join(folder, 'data'),
      PLY_PRIVATE_NETWORKS: 'allow',
      PLY_EMBEDDING_THREADS: '0',
      PLY_RETRY_BASE_MS: '40',
      PLY_LEASE_SECONDS: '2',
      PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId,
      PLY_BOOTSTRAP_ADMIN_KEY: adminKey,
      PLY_BOOTSTRAP_STANDARD_KEY: standardKey,
      ...environment,
    },
  });
  const source = new Source();
  await source.start();
  const start = async (): Promise<void> => {
    program.start();
    await program.ready();
  };
  try {
    await start();
  } catch (error) {
    // The folder with the log is kept.
    await program.kill();
    await source.stop();
    throw error;
  }
  return {
    process: program,
    folder,
    logFile,
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}`,
    organizationId,
    source,
    start,
    admin: new Client(url, organizationId, adminKey),
    standard: new Client(url, organizationId, standardKey),
    end: async () => {
      await program.kill();
      await source.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

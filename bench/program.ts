import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProgramProcess } from '../scripts/cluster/program-process.ts';
import { allocatorEnvironment } from '../scripts/setup/allocator.mjs';
import { cacheFolder } from '../scripts/setup/paths.mjs';
import { HttpClients } from './http-clients.ts';

/** A measured program in a separate process. */
export interface BenchProgram {
  readonly pid: number;
  readonly url: string;
  readonly metricsUrl: string;
  readonly organizationId: string;
  /** Milliseconds from its start until it was ready. */
  readonly startMs: number;
  /** Clients of the API with the standard key, for the program's first organization or another. */
  clients(count: number, organizationId?: string): HttpClients;
  /** A client with the admin key. */
  administrator(): HttpClients;
  /** Creates a sub-organization; returns its id. */
  organization(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Options of the start. */
export interface BenchProgramOptions {
  /** An existing data folder, which is kept; a temporary one by default. */
  folder?: string;
  organizationId?: string;
  /** The standard key that an earlier program over the folder was started with; that of this process by default. */
  key?: string;
  environment?: Record<string, string>;
}

/** Two free ports: both are held at once, so that they differ. */
async function freePorts(): Promise<[number, number]> {
  const servers = await Promise.all(
    [1, 2].map(
      () =>
        new Promise<Server>((resolve, reject) => {
          const server = createServer();
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const [first = 0, second = 0] = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [first, second];
}

/** The key of all programs of the bench, so that it is valid again after a restart. */
export const standardKey = `ply_${randomBytes(32).toString('base64url')}`;
const adminKey = `ply_${randomBytes(32).toString('base64url')}`;

/** Headers that a client of the API sends. */
export function apiHeaders(organizationId: string, key = standardKey): Record<string, string> {
  return { authorization: `ApiKey ${key}`, 'x-organization-id': organizationId, 'content-type': 'application/json' };
}

/** Starts the program and waits until it is ready. @throws if it does not become ready */
export async function startProgram(options: BenchProgramOptions = {}): Promise<BenchProgram> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'ply-bench-'));
  const organizationId = options.organizationId ?? randomUUID();
  const key = options.key ?? standardKey;
  const [apiPort, metricsPort] = await freePorts();
  const program = new ProgramProcess({
    name: 'program',
    logFile: join(folder, 'program.log'),
    healthUrl: `http://127.0.0.1:${metricsPort}/health/ready`,
    environment: {
      // As the launcher does.
      NODE_COMPILE_CACHE: join(cacheFolder, 'compiled'),
      ...allocatorEnvironment,
      PLY_DATA_DIR: folder,
      PLY_API_PORT: String(apiPort),
      PLY_METRICS_PORT: String(metricsPort),
      PLY_DELIVERY_PORT: '0',
      PLY_S3_PORT: '0',
      PLY_BLOB_PORT: '0',
      PLY_UPLOAD_PORT: '0',
      PLY_PRIVATE_NETWORKS: 'allow',
      PLY_LOG_LEVEL: 'warn',
      PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId,
      PLY_BOOTSTRAP_ADMIN_KEY: adminKey,
      PLY_BOOTSTRAP_STANDARD_KEY: key,
      PLY_REQUESTS_PER_MINUTE: '100000000',
      PLY_SEARCH_REQUESTS_PER_MINUTE: '100000000',
      PLY_REGISTRATIONS_PER_MINUTE: '100000000',
      ...options.environment,
    },
  });
  const began = performance.now();
  program.start();
  await program.ready();
  const startMs = performance.now() - began;
  const { pid } = program;
  if (pid === undefined) throw new Error('the program ended at once');
  const url = `http://127.0.0.1:${apiPort}`;
  return {
    pid,
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    organizationId,
    startMs,
    clients: (count, id = organizationId) => new HttpClients(url, apiHeaders(id, key), count),
    administrator: () => new HttpClients(url, apiHeaders(organizationId, adminKey), 1),
    organization: (name) => createOrganization(url, organizationId, adminKey, name),
    stop: async () => {
      await program.stop();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a sub-organization of an account; returns its id. */
export async function createOrganization(
  url: string,
  organizationId: string,
  adminKeyOfAccount: string,
  name: string,
): Promise<string> {
  const administrator = new HttpClients(url, apiHeaders(organizationId, adminKeyOfAccount), 1);
  try {
    const body = JSON.stringify({ name });
    const answer = await administrator.ask({ method: 'POST', path: '/api/sub-organizations', body });
    return (JSON.parse(answer) as { id: string }).id;
  } finally {
    await administrator.close();
  }
}

/** Sum of a counter over all series whose labels contain `label`. */
export async function counterOf(
  program: Pick<BenchProgram, 'metricsUrl'>,
  name: string,
  label: string,
): Promise<number> {
  const text = await (await fetch(program.metricsUrl)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

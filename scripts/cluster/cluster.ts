import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../test/servers/ports.ts';
import { startServer, type TestServer, type Unavailable } from '../../test/servers/servers.ts';
import { ProgramProcess } from './program-process.ts';

/** The processes of a cluster on one machine: two edges and two of each kind of worker, one of everything else. */
const defaultLayout: NonNullable<ClusterOptions['layout']> = [
  { name: 'gateway', roles: 'gateway,accounts' },
  { name: 'registrar', roles: 'registrar,ledger' },
  { name: 'connectors', roles: 'connectors,webhooks' },
  { name: 'encoder', roles: 'encoder' },
  { name: 'scheduler', roles: 'scheduler' },
  { name: 'storage', roles: 'storage' },
  { name: 'delivery-1', roles: 'delivery' },
  { name: 'delivery-2', roles: 'delivery' },
  { name: 's3', roles: 's3' },
  { name: 'blob', roles: 'blob' },
  { name: 'searcher', roles: 'searcher' },
  { name: 'extractor-1', roles: 'extractor' },
  { name: 'extractor-2', roles: 'extractor' },
  { name: 'transcriber-1', roles: 'transcriber' },
  { name: 'transcriber-2', roles: 'transcriber' },
  { name: 'embedder-1', roles: 'embedder' },
  { name: 'embedder-2', roles: 'embedder' },
];

/** A cluster on this machine. */
export interface Cluster {
  apiUrl: string;
  organizationId: string;
  adminKey: string;
  standardKey: string;
  servers: { nats: TestServer; mongo: TestServer; milvus: TestServer; redis: TestServer };
  processes: readonly ProgramProcess[];
  /** Processes by the beginning of their name, such as `extractor`. */
  processesOf(kind: string): ProgramProcess[];
  /** Name of the records' database. */
  database: string;
  /** Beginning of the names of the Milvus collections. */
  collections: string;
  /** The variables that all processes have. */
  environment: Readonly<Record<string, string>>;
  folder: string;
  stop(): Promise<void>;
}

/** Options of a cluster. */
export interface ClusterOptions {
  /** Port of the API; a free port by default. */
  apiPort?: number;
  /**
   * Names, roles and own variables of the processes. Default: two of each kind of worker and one of every other role.
   */
  layout?: readonly { name: string; roles: string; environment?: Record<string, string> }[];
  /** Further variables for all processes. */
  environment?: Record<string, string>;
  /** Whether processes that end unexpectedly are restarted. */
  restartsOnExit?: boolean;
  /** Called with the variables of all processes when the servers run, before the first process starts. */
  prepare?(environment: Readonly<Record<string, string>>): Promise<void>;
  /** Called with the name of each server or process that is started. */
  log?(line: string): void;
}

/** Starts the servers, or returns why one is not available. @throws if an available one does not start */
async function startServers(log: (line: string) => void): Promise<Cluster['servers'] | Unavailable> {
  const outcomes = await Promise.allSettled([
    startServer('nats'),
    startServer('mongo'),
    startServer('milvus'),
    startServer('redis'),
  ]);
  const running = outcomes.map(runningOf);
  const [nats = null, mongo = null, milvus = null, redis = null] = running;
  if (nats !== null && mongo !== null && milvus !== null && redis !== null) {
    const servers = { nats, mongo, milvus, redis };
    for (const [name, { url }] of Object.entries(servers)) log(`  ${name.padEnd(12)} ${url}`);
    return servers;
  }
  await Promise.all(running.flatMap((server) => (server === null ? [] : [server.stop()])));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return {
    unavailable: outcomes
      .flatMap((outcome) =>
        outcome.status === 'fulfilled' && 'unavailable' in outcome.value ? [outcome.value.unavailable] : [],
      )
      .join('; '),
  };
}

function runningOf(outcome: PromiseSettledResult<TestServer | Unavailable>): TestServer | null {
  return outcome.status === 'fulfilled' && !('unavailable' in outcome.value) ? outcome.value : null;
}

/** Waits until the gateway has discovered the other processes. */
async function awaitAllActors(apiUrl: string, headers: Record<string, string>): Promise<void> {
  const requests = [
    ['GET', '/capabilities'],
    ['POST', '/search'],
  ] as const;
  for (let attempts = 200; ; attempts--) {
    const statuses = await Promise.all(
      requests.map(async ([method, path]) => {
        const response = await fetch(`${apiUrl}/api/content/v1${path}`, {
          method,
          headers,
          ...(method === 'POST' ? { body: '{"query":"ready"}' } : {}),
        });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    if (statuses.every((status) => status === 200)) return;
    if (attempts === 0) throw new Error(`the cluster's API answers ${statuses.join(' and ')}`);
    await pause(100);
  }
}

/** Starts servers and processes and waits until all are ready, or returns which server is not available. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster | Unavailable> {
  const log = options.log ?? (() => undefined);
  const servers = await startServers(log);
  if ('unavailable' in servers) return servers;
  const folder = mkdtempSync(join(tmpdir(), 'ply-cluster-'));
  const blobs = join(folder, 'blobs');
  mkdirSync(blobs);
  const objects = join(folder, 'objects');
  mkdirSync(objects);
  const uploadPort = await freePort();
  const apiPort = options.apiPort ?? (await freePort());
  const organizationId = randomUUID();
  const adminKey = `ply_${randomBytes(32).toString('base64url')}`;
  const standardKey = `ply_${randomBytes(32).toString('base64url')}`;
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const suffix = randomBytes(4).toString('hex');
  const common: Record<string, string> = {
    PLY_NATS_URL: servers.nats.url,
    PLY_MONGO_URL: servers.mongo.url,
    PLY_MONGO_DATABASE: `ply_${suffix}`,
    PLY_MILVUS_URL: servers.milvus.url,
    PLY_MILVUS_COLLECTION: `ply_${suffix}`,
    PLY_REDIS_URL: servers.redis.url,
    PLY_BLOBS_URL: pathToFileURL(blobs).href,
    PLY_OBJECTS_URL: pathToFileURL(objects).href,
    PLY_SECRET_KEY: randomBytes(32).toString('base64'),
    PLY_PRIVATE_NETWORKS: 'allow',
    PLY_BOOTSTRAP_ORGANIZATION_ID: organizationId,
    PLY_BOOTSTRAP_ADMIN_KEY: adminKey,
    PLY_BOOTSTRAP_STANDARD_KEY: standardKey,
    ...options.environment,
  };
  const processes: ProgramProcess[] = [];
  for (const { name, roles, environment = {} } of options.layout ?? defaultLayout) {
    const [metricsPort, deliveryPort, s3Port, blobPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    processes.push(
      new ProgramProcess({
        name,
        healthUrl: `http://127.0.0.1:${metricsPort}/health/ready`,
        logFile: join(folder, `${name}.log`),
        restartsOnExit: options.restartsOnExit === true,
        environment: {
          ...common,
          PLY_ROLES: roles,
          PLY_API_PORT: String(apiPort),
          PLY_METRICS_PORT: String(metricsPort),
          PLY_UPLOAD_PORT: String(uploadPort),
          PLY_DELIVERY_PORT: String(deliveryPort),
          PLY_S3_PORT: String(s3Port),
          PLY_BLOB_PORT: String(blobPort),
          PLY_DATA_DIR: join(folder, name),
          ...environment,
        },
      }),
    );
  }
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((program) => program.stop()));
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await options.prepare?.(common);
    for (const program of processes) program.start();
    await Promise.all(
      processes.map(async (program) => {
        await program.ready();
        log(`  ${program.name.padEnd(12)} pid ${program.pid}, ${program.healthUrl}`);
      }),
    );
    await awaitAllActors(apiUrl, {
      Authorization: `ApiKey ${standardKey}`,
      'X-Organization-Id': organizationId,
      'Content-Type': 'application/json',
    });
  } catch (error) {
    log(`  logs are in ${folder}`);
    await Promise.all(processes.map((program) => program.kill()));
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    throw error;
  }
  return {
    apiUrl,
    organizationId,
    adminKey,
    standardKey,
    servers,
    processes,
    processesOf: (kind) => processes.filter((program) => program.name.startsWith(kind)),
    database: `ply_${suffix}`,
    collections: `ply_${suffix}`,
    environment: common,
    folder,
    stop,
  };
}

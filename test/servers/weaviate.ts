import { existsSync, mkdtempSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { startListening } from './listening.ts';
import { withLock } from './lock.ts';

/** The version of Weaviate that is built. */
export const weaviateVersion = '1.35.2';

const weaviateModule = 'github.com/weaviate/weaviate';
const folder = join(cacheFolder, 'servers', 'weaviate');
const server = join(folder, 'weaviate-server');
/** The folder of its protocol over gRPC, once it is built: `v1/weaviate.proto` and what that imports. */
export const weaviateProtocol = join(folder, 'proto');
/** Building needs the packages of many clouds: minutes of both cores. */
const buildMilliseconds = 1_800_000;

/** Builds Weaviate into the cache folder. Returns why it is not available, or null. */
export async function installWeaviate(): Promise<string | null> {
  await mkdir(folder, { recursive: true });
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(server) && existsSync(weaviateProtocol)) return null;
    const settings = {
      environment: { GOBIN: folder, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' },
      timeout: buildMilliseconds,
    };
    const version = `v${weaviateVersion}`;
    const built = await runProgram('go', ['install', `${weaviateModule}/cmd/weaviate-server@${version}`], settings);
    if (!built.ok) return built.reason;
    const source = await runProgram('go', ['mod', 'download', '-json', `${weaviateModule}@${version}`], settings);
    if (!source.ok) return source.reason;
    const { Dir: sources } = JSON.parse(source.output) as { Dir: string };
    await rm(weaviateProtocol, { recursive: true, force: true });
    await cp(join(sources, 'grpc', 'proto'), weaviateProtocol, { recursive: true });
    return null;
  });
}

/** A running Weaviate without data. */
export interface Weaviate {
  /** Address of its interface over HTTP. */
  url: string;
  /** Host and port of its interface over gRPC. */
  rpc: string;
  stop(): Promise<void>;
}

/**
 * Starts the Weaviate that was built, without modules and without reports to its makers. It listens on all interfaces
 * and on fixed ports, so this process must be in a network namespace of its own that has no interface but the loopback
 * one. It ends with this process.
 */
export async function startWeaviate(): Promise<Weaviate> {
  const data = mkdtempSync(join(tmpdir(), 'ply-weaviate-'));
  const { port, stop } = await startListening(
    'weaviate',
    (free) => [
      'env',
      'GRPC_PORT=50051',
      `PERSISTENCE_DATA_PATH=${join(data, 'data')}`,
      'CLUSTER_HOSTNAME=peer',
      'CLUSTER_IN_LOCALHOST=true',
      'CLUSTER_ADVERTISE_ADDR=127.0.0.1',
      'RAFT_BOOTSTRAP_EXPECT=1',
      'AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=true',
      'DEFAULT_VECTORIZER_MODULE=none',
      'DISABLE_TELEMETRY=true',
      'GO_PROFILING_DISABLE=true',
      'LOG_LEVEL=error',
      ...[server, '--host', '127.0.0.1', '--port', String(free), '--scheme', 'http'],
    ],
    data,
  );
  return { url: `http://127.0.0.1:${port}`, rpc: '127.0.0.1:50051', stop };
}

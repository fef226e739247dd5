import { existsSync, mkdtempSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../scripts/setup/paths.mjs';
import { ensureProgram, runProgram } from '../../scripts/setup/system.ts';
import { startListening } from './listening.ts';
import { withLock } from './lock.ts';

/** An empty S3-compatible server for tests. */
export interface S3TestServer {
  /** Host and port. */
  host: string;
  stop(): Promise<void>;
}

/** The only key of the gateway; moto accepts any. */
export const s3TestKey = { accessKeyId: 'testkey', secretAccessKey: 'testsecret' };

const packages = ['moto[server]==5.1.4'];
const folder = join(cacheFolder, 'servers', 's3');
const program = join(folder, 'bin/moto_server');

/** Installs moto, a server of AWS interfaces, into the cache folder. Returns why it is not available, or null. */
export async function installMoto(): Promise<string | null> {
  if (existsSync(program)) return null;
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(program)) return null;
    for (const step of [
      () => ensureProgram(['python3', '-m', 'ensurepip', '--version'], ['python3-venv']),
      () => runProgram('python3', ['-m', 'venv', folder]),
      () => runProgram(join(folder, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', ...packages]),
    ]) {
      const outcome = await step();
      if (outcome.ok) continue;
      await rm(folder, { recursive: true, force: true });
      return outcome.reason;
    }
    return null;
  });
}

/**
 * Starts moto on a free loopback port; it ends with this process. Returns why it is not available as text. It preserves
 * all keys, and checks no signatures.
 */
export async function startS3TestServer(): Promise<S3TestServer | string> {
  const missing = await installMoto();
  if (missing !== null) return `an S3-compatible server is not available: ${missing}`;
  const { port, stop } = await startListening(
    'moto',
    (free) => [program, '-H', '127.0.0.1', '-p', String(free)],
    mkdtempSync(join(tmpdir(), 'ply-s3-')),
  );
  return { host: `127.0.0.1:${port}`, stop };
}

const gatewayModule = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const gatewayFolder = join(cacheFolder, 'servers', 's3-gateway');
/** The program of the S3 gateway, once `installGateway` has built it. */
export const gatewayProgram = join(gatewayFolder, 'versitygw');

/** Builds the S3 gateway into the cache folder. Returns why it is not available, or null. */
export async function installGateway(): Promise<string | null> {
  if (existsSync(gatewayProgram)) return null;
  return withLock(`${gatewayFolder}.lock`, async () => {
    if (existsSync(gatewayProgram)) return null;
    const outcome = await runProgram('go', ['install', gatewayModule], {
      environment: { GOBIN: gatewayFolder, GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' },
    });
    return outcome.ok ? null : outcome.reason;
  });
}

/**
 * Starts an S3 gateway over a folder (versitygw) on a free loopback port; it ends with this process. Returns why it is
 * not available as text. It checks signatures (`s3TestKey`), is fast, and stores objects as files: each bucket is a
 * subfolder of `folder`.
 * @param foreignEtag the ETag of files that were written directly into those folders, a fast way to create many
 *   objects; they have none otherwise
 */
export async function startS3Gateway(foreignEtag?: string): Promise<(S3TestServer & { folder: string }) | string> {
  const missing = await installGateway();
  if (missing !== null) return `an S3 gateway is not available: ${missing}`;
  const data = mkdtempSync(join(tmpdir(), 'ply-s3-gateway-'));
  const buckets = join(data, 'buckets');
  await mkdir(buckets);
  const command = (free: number): string[] => [
    gatewayProgram,
    '--port',
    `127.0.0.1:${free}`,
    '--access',
    s3TestKey.accessKeyId,
    '--secret',
    s3TestKey.secretAccessKey,
    '--quiet',
    'posix',
    ...(foreignEtag === undefined ? [] : ['--default-etag', foreignEtag]),
    buckets,
  ];
  const { port, stop } = await startListening('versitygw', command, data);
  return { host: `127.0.0.1:${port}`, folder: buckets, stop };
}

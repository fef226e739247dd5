import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { startListening } from './listening.ts';
import { withLock } from './lock.ts';
import type { S3TestServer } from './s3.ts';

/** The only key of MinIO. */
export const minioKey = { accessKeyId: 'benchkey', secretAccessKey: 'benchsecret' };

const folder = join(cacheFolder, 'servers', 'minio');
const minio = join(folder, 'minio');

/** Builds MinIO into the cache folder. Returns why it is not available, or null. */
async function installMinio(): Promise<string | null> {
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(minio)) return null;
    const outcome = await runProgram('go', ['install', 'github.com/minio/minio@latest'], {
      environment: { GOBIN: folder, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' },
    });
    return outcome.ok ? null : outcome.reason;
  });
}

/** Starts MinIO, empty, on a free loopback port; it ends with this process. Returns why it is not available as text. */
export async function startMinioServer(): Promise<S3TestServer | string> {
  const missing = await installMinio();
  if (missing !== null) return missing;
  const data = mkdtempSync(join(tmpdir(), 'ply-minio-'));
  const { port, stop } = await startListening(
    'minio',
    (free) => [
      'env',
      `MINIO_ROOT_USER=${minioKey.accessKeyId}`,
      `MINIO_ROOT_PASSWORD=${minioKey.secretAccessKey}`,
      ...[minio, 'server', '--quiet', '--address', `127.0.0.1:${free}`, join(data, 'objects')],
    ],
    data,
  );
  const host = `127.0.0.1:${port}`;
  try {
    await answersRequests(host);
  } catch (error) {
    await stop();
    throw error;
  }
  return { host, stop };
}

/** Waits until it takes requests: it listens before, and answers `XMinioServerNotInitialized`. @throws after a minute */
async function answersRequests(host: string): Promise<void> {
  for (let attempts = 600; ; attempts -= 1) {
    const { status } = await fetch(`http://${host}/minio/health/cluster`);
    if (status === 200) return;
    if (attempts === 0) throw new Error(`MinIO is not ready: its health is ${status}`);
    await pause(100);
  }
}

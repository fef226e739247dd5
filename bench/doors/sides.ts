import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { ownerEnvironment, signIn } from '../../test/api/support/session.ts';
import { startListening } from '../../test/servers/listening.ts';
import { freePort } from '../../test/servers/ports.ts';
import { startS3Gateway, s3TestKey } from '../../test/servers/s3.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';
import { startProgram } from '../program.ts';
import type { S3Side } from './signed-client.ts';

/** A running side. */
export interface RunningSide extends S3Side {
  stop(): Promise<void>;
}

/** Starts the program with a key for its S3 door. */
export async function startOwn(): Promise<RunningSide> {
  const port = await freePort();
  const program = await startProgram({
    environment: {
      ...ownerEnvironment,
      PLY_S3_PORT: String(port),
      PLY_STORAGE_REQUESTS_PER_MINUTE: '100000000',
    },
  });
  const session = await signIn(program);
  const { accessKeyId, secret } = await session.get<NewCredentialView>(
    201,
    'POST',
    '/api/content/v1/storage-credentials',
    { body: { name: 'bench', kind: 's3', permissions: ['read', 'write', 'delete', 'manage'] } },
  );
  return {
    name: 'Ply',
    url: `http://127.0.0.1:${port}`,
    accessKeyId: accessKeyId ?? '',
    secretAccessKey: secret,
    stop: () => program.stop(),
  };
}

/** Starts versitygw. Returns why it is not available as text. */
export async function startVersity(): Promise<RunningSide | string> {
  const started = await startS3Gateway();
  if (typeof started === 'string') return started;
  return { name: 'versitygw', url: `http://${started.host}`, ...s3TestKey, stop: () => started.stop() };
}

const minioFolder = join(cacheFolder, 'servers', 'minio');
const minio = join(minioFolder, 'minio');

/** Builds MinIO where it is not there, and starts it. Returns why it is not available as text. */
export async function startMinio(): Promise<RunningSide | string> {
  if (!existsSync(minio)) {
    const outcome = await runProgram('go', ['install', 'github.com/minio/minio@latest'], {
      environment: { GOBIN: minioFolder, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-p=2' },
    });
    if (!outcome.ok) return outcome.reason;
  }
  const data = mkdtempSync(join(tmpdir(), 'ply-minio-'));
  const key = { accessKeyId: 'benchkey', secretAccessKey: 'benchsecret' };
  const { port, stop } = await startListening(
    'minio',
    (free) => [
      'env',
      `MINIO_ROOT_USER=${key.accessKeyId}`,
      `MINIO_ROOT_PASSWORD=${key.secretAccessKey}`,
      ...[minio, 'server', '--quiet', '--address', `127.0.0.1:${free}`, join(data, 'objects')],
    ],
    data,
  );
  return { name: 'MinIO', url: `http://127.0.0.1:${port}`, ...key, stop };
}

import { ownerEnvironment, signIn } from '../../test/api/support/session.ts';
import { minioKey, startMinioServer } from '../../test/servers/minio.ts';
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

/** Starts MinIO. Returns why it is not available as text. */
export async function startMinio(): Promise<RunningSide | string> {
  const started = await startMinioServer();
  if (typeof started === 'string') return started;
  return { name: 'MinIO', url: `http://${started.host}`, ...minioKey, stop: () => started.stop() };
}

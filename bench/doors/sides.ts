import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownerEnvironment, signIn } from '../../test/api/support/session.ts';
import { minioKey, startMinioServer } from '../../test/servers/minio.ts';
import { freePort } from '../../test/servers/ports.ts';
import { startS3Gateway, s3TestKey } from '../../test/servers/s3.ts';
import type { BucketView } from '../../models/bucket.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';
import { startProgram } from '../program.ts';
import { addObjects } from '../stored-records.ts';
import { send, type S3Side } from './signed-client.ts';

const base = '/api/content/v1';
/** What an object has that is there to be listed. */
const listedBody = Buffer.from('an object');
/** Clients that write such objects where there is no faster way. */
const fillers = 16;

/** A running side. */
export interface RunningSide extends S3Side {
  /** Puts small objects into a bucket, by the fastest way that the server has: they are there to be listed. */
  fill(bucket: string, keys: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the program with a key for its S3 door. It is stopped and started again to be filled. */
export async function startOwn(): Promise<RunningSide> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-doors-'));
  const organizationId = randomUUID();
  const start = () =>
    startProgram({
      folder,
      organizationId,
      environment: {
        ...ownerEnvironment,
        PLY_S3_PORT: String(port),
        PLY_STORAGE_REQUESTS_PER_MINUTE: '100000000',
      },
    });
  let program = await start();
  const session = await signIn(program);
  const { accessKeyId, secret } = await session.get<NewCredentialView>(201, 'POST', `${base}/storage-credentials`, {
    body: { name: 'bench', kind: 's3', permissions: ['read', 'write', 'delete', 'manage'] },
  });
  return {
    name: 'Ply',
    url: `http://127.0.0.1:${port}`,
    accessKeyId: accessKeyId ?? '',
    secretAccessKey: secret,
    fill: async (bucket, keys) => {
      const { items } = await session.get<{ items: BucketView[] }>(200, 'GET', `${base}/buckets`);
      const bucketId = items.find(({ name }) => name === bucket)?.id;
      if (bucketId === undefined) throw new Error(`there is no bucket ${bucket}`);
      await program.stop();
      await addObjects(folder, { organizationId, bucketId }, keys);
      program = await start();
    },
    stop: async () => {
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts versitygw. Returns why it is not available as text. */
export async function startVersity(): Promise<RunningSide | string> {
  const started = await startS3Gateway('0'.repeat(32));
  if (typeof started === 'string') return started;
  return {
    name: 'versitygw',
    url: `http://${started.host}`,
    ...s3TestKey,
    // Its objects are files of a folder.
    fill: async (bucket, keys) => {
      const folders = new Set(keys.map((key) => dirname(join(started.folder, bucket, key))));
      for (const folder of folders) await mkdir(folder, { recursive: true });
      for (const key of keys) await writeFile(join(started.folder, bucket, key), listedBody);
    },
    stop: () => started.stop(),
  };
}

/** Starts MinIO. Returns why it is not available as text. */
export async function startMinio(): Promise<RunningSide | string> {
  const started = await startMinioServer();
  if (typeof started === 'string') return started;
  const side: S3Side = { name: 'MinIO', url: `http://${started.host}`, ...minioKey };
  return {
    ...side,
    fill: async (bucket, keys) => {
      await send(
        side,
        fillers,
        keys.map((key) => ({ method: 'PUT', path: `/${bucket}/${key}`, body: listedBody })),
      );
    },
    stop: () => started.stop(),
  };
}

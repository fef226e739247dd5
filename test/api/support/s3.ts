import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { RegionView } from '../../../models/bucket.ts';
import type { NewCredentialView, StoragePermission } from '../../../models/storage-credential.ts';
import { content } from './client.ts';
import { startTestProgram, type TestProgram } from './program.ts';
import { ownerEnvironment, signIn, type SessionClient } from './session.ts';

/** What a credential allows; everything by default. */
export interface KeyOptions {
  permissions?: StoragePermission[];
  bucketIds?: string[] | null;
}

/** A program whose S3 door tests talk to. */
export interface S3Program extends TestProgram {
  session: SessionClient;
  /** Base address of the door. */
  endpoint: string;
  newKey(options?: KeyOptions): Promise<NewCredentialView>;
  /** A client of the SDK with a new credential. */
  client(options?: KeyOptions, settings?: S3ClientConfig): Promise<S3Client>;
}

/** A client of the SDK. */
export function clientOf(
  endpoint: string,
  { accessKeyId, secret }: Pick<NewCredentialView, 'accessKeyId' | 'secret'>,
  settings: S3ClientConfig = {},
): S3Client {
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: accessKeyId ?? '', secretAccessKey: secret },
    ...settings,
  });
}

/** Starts a program with its S3 door. */
export async function startS3Program(environment: Record<string, string> = {}): Promise<S3Program> {
  const program = await startTestProgram({ ...ownerEnvironment, ...environment });
  const session = await signIn(program);
  const { items } = await program.admin.get<{ items: RegionView[] }>(200, 'GET', `${content}/regions`);
  const endpoint = items[0]?.endpoints.s3 ?? '';
  const newKey = ({ permissions, bucketIds = null }: KeyOptions = {}): Promise<NewCredentialView> =>
    session.get(201, 'POST', `${content}/storage-credentials`, {
      body: {
        name: 'test',
        kind: 's3',
        permissions: permissions ?? ['read', 'write', 'delete', ...(bucketIds === null ? ['manage'] : [])],
        bucketIds,
      },
    });
  return {
    ...program,
    session,
    endpoint,
    newKey,
    client: async (options, settings) => clientOf(endpoint, await newKey(options), settings),
  };
}

/** The code and status of a request of the SDK that fails. */
export async function faultOf(work: Promise<unknown>): Promise<[code: unknown, status: unknown]> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Error) || !('$metadata' in error)) throw error;
    const metadata = error.$metadata;
    const status =
      typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
        ? metadata.httpStatusCode
        : null;
    return [error.name, status];
  }
  return [null, null];
}

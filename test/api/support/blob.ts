import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import type { NewCredentialView, StoragePermission } from '../../../models/storage-credential.ts';
import type { StorageAccountView } from '../../../models/storage-account.ts';
import { content } from './client.ts';
import { startTestProgram, type TestProgram } from './program.ts';
import { ownerEnvironment, signIn, type SessionClient } from './session.ts';

/** The storage account of a running program. */
export interface BlobDoor {
  /** Base address of the account. */
  endpoint: string;
  /** A client of the SDK with a new key. */
  client(key?: KeyOptions): Promise<BlobServiceClient>;
  /** The secret of a new key of the account. */
  newSecret(key?: KeyOptions): Promise<AccountKey>;
  /** A new key of the account. */
  newKey(key?: KeyOptions): Promise<StorageSharedKeyCredential>;
}

/** A program with a storage account. */
export interface BlobProgram extends TestProgram, BlobDoor {
  session: SessionClient;
}

/** A key of the account. */
export interface AccountKey {
  accountName: string;
  /** Base64. */
  secret: string;
}

/** What a key allows; everything by default. */
export interface KeyOptions {
  permissions?: StoragePermission[];
  bucketIds?: string[] | null;
}

/** Starts a program whose organization has a storage account. */
export async function startBlobProgram(
  environment: Record<string, string> = {},
  accountName?: string,
): Promise<BlobProgram> {
  const program = await startTestProgram({ ...ownerEnvironment, ...environment });
  const session = await signIn(program);
  return { ...program, session, ...(await openBlobDoor({ ...program, session }, accountName)) };
}

/** Makes the storage account of a running program's organization. */
export async function openBlobDoor(
  { admin, session }: Pick<TestProgram, 'admin'> & { session: SessionClient },
  accountName = 'acme',
): Promise<BlobDoor> {
  const { blobEndpoint } = await admin.get<StorageAccountView>(201, 'POST', `${content}/storage-account`, {
    body: { name: accountName, homeRegion: 'in-west' },
  });
  const newSecret = async ({ permissions, bucketIds = null }: KeyOptions = {}): Promise<AccountKey> => {
    const { items } = await session.get<{ items: { id: string; kind: string; state: string }[] }>(
      200,
      'GET',
      `${content}/storage-credentials`,
    );
    // An account has two keys at a time.
    for (const { id } of items.filter(({ kind, state }) => kind === 'azure' && state === 'active').slice(1))
      await session.get(200, 'DELETE', `${content}/storage-credentials/${id}`);
    const { secret } = await session.get<NewCredentialView>(201, 'POST', `${content}/storage-credentials`, {
      body: {
        name: 'test',
        kind: 'azure',
        permissions: permissions ?? ['read', 'write', 'delete', ...(bucketIds === null ? ['manage'] : [])],
        bucketIds,
      },
    });
    return { accountName, secret };
  };
  const newKey = async (key?: KeyOptions): Promise<StorageSharedKeyCredential> => {
    const { secret } = await newSecret(key);
    return new StorageSharedKeyCredential(accountName, secret);
  };
  return {
    endpoint: blobEndpoint,
    newKey,
    newSecret,
    client: async (key) => new BlobServiceClient(blobEndpoint, await newKey(key), { retryOptions: { maxTries: 1 } }),
  };
}

/** The code and status of a request of the SDK that fails. */
export async function faultOf(work: Promise<unknown>): Promise<{ code: unknown; status: unknown }> {
  try {
    await work;
  } catch (error) {
    if (typeof error !== 'object' || error === null) throw error;
    return {
      code: 'code' in error ? error.code : null,
      status: 'statusCode' in error ? error.statusCode : null,
    };
  }
  return { code: null, status: null };
}

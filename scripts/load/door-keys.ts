import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { signIn } from '../../test/api/support/session.ts';
import type { StorageAccountView } from '../../models/storage-account.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';

/** Milliseconds in which the signature for the account is valid. */
const sasMs = 24 * 3_600_000;
const base = '/api/content/v1';
const account = 'load';

/** Where the doors of an installation listen whose dashboard the tests' first user may enter. */
export interface Doors {
  url: string;
  organizationId: string;
  s3Url: string;
  /** Address of the Blob door, without the account. */
  blobUrl: string;
}

/**
 * Makes a credential for each door. Returns the parameters of the script `doors` (load-tests/common/ply.js).
 */
export async function makeDoorKeys(doors: Doors): Promise<Record<string, string>> {
  const session = await signIn(doors);
  const newCredential = (kind: 's3' | 'azure'): Promise<NewCredentialView> =>
    session.get(201, 'POST', `${base}/storage-credentials`, {
      body: { name: 'load', kind, permissions: ['read', 'write', 'delete', 'manage'] },
    });
  await session.get<StorageAccountView>(201, 'POST', `${base}/storage-account`, {
    body: { name: account, homeRegion: 'in-west' },
  });
  const [s3, azure] = [await newCredential('s3'), await newCredential('azure')];
  const sas = generateAccountSASQueryParameters(
    {
      expiresOn: new Date(Date.now() + sasMs),
      permissions: AccountSASPermissions.parse('rwdlc'),
      resourceTypes: AccountSASResourceTypes.parse('sco').toString(),
      services: AccountSASServices.parse('b').toString(),
      protocol: SASProtocol.HttpsAndHttp,
    },
    new StorageSharedKeyCredential(account, azure.secret),
  );
  return {
    S3_URL: doors.s3Url,
    S3_ACCESS_KEY_ID: s3.accessKeyId ?? '',
    S3_SECRET: s3.secret,
    BLOB_URL: `${doors.blobUrl}/${account}`,
    BLOB_SAS: sas.toString(),
  };
}

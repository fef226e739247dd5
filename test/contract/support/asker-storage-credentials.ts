import type { NewCredentialView } from '../../../models/storage-credential.ts';
import type { Asker } from './asker.ts';

/** Credentials of S3 and Blob clients: their successes and errors. Call it before the storage account is made. */
export async function askAboutStorageCredentials({ succeed, refused }: Asker): Promise<void> {
  await succeed('listStorageCredentials');
  const body = { name: 'backup', kind: 's3', permissions: ['read'], expiresAt: '2100-01-01T00:00:00+02:00' };
  await refused('createStorageCredential', 'storage_account_not_found', { body: { ...body, kind: 'azure' } });
  const { id } = await succeed<NewCredentialView>('createStorageCredential', { body });
  const ids = { credentialId: id };
  const rotated = await succeed<NewCredentialView>('rotateStorageCredential', { ids });
  for (let count = 2; count < 20; count += 1) await succeed('createStorageCredential', { body });
  await refused('createStorageCredential', 'credential_limit_reached', { body });
  await refused('rotateStorageCredential', 'credential_limit_reached', { ids });
  await succeed('listStorageCredentials');
  await succeed('revokeStorageCredential', { ids });
  await refused('rotateStorageCredential', 'credential_not_found', { ids });
  await succeed('rotateStorageCredential', { ids: { credentialId: rotated.id } });
}

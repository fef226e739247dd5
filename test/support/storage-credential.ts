import type { Sealer } from '../../mixins/sealing.ts';
import { credentialSecretContext, type StorageCredential } from '../../models/storage-credential.ts';

/** A usable credential of S3 clients with every permission on every bucket, with the fields that a test overrides. */
export function testCredential(
  sealer: Pick<Sealer, 'seal'>,
  fields: Partial<StorageCredential>,
  secret: string,
): StorageCredential {
  const id = fields._id ?? 'credential';
  return {
    _id: id,
    organizationId: 'organization',
    accountId: 'account',
    name: 'name',
    kind: 's3',
    sealedSecret: sealer.seal(secret, credentialSecretContext(id)),
    secretHint: secret.slice(-4),
    permissions: ['read', 'write', 'delete', 'manage'],
    bucketIds: null,
    state: 'active',
    expiresAt: null,
    createdBy: 'user:u',
    createdAt: 1,
    lastUsedAt: null,
    revokedAt: null,
    version: 1,
    outbox: [],
    ...fields,
  };
}

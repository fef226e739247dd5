import { isoTime } from '../../../models/runtime.ts';
import type {
  NewCredentialView,
  StorageCredential,
  StorageCredentialView,
} from '../../../models/storage-credential.ts';

/** A credential as the API shows it. */
export function credentialView(credential: StorageCredential): StorageCredentialView {
  return {
    id: credential._id,
    name: credential.name,
    kind: credential.kind,
    accessKeyId: credential.accessKeyId ?? null,
    slot: credential.slot ?? null,
    secretHint: credential.secretHint,
    permissions: credential.permissions,
    bucketIds: credential.bucketIds,
    state: credential.state,
    expiresAt: isoTime(credential.expiresAt),
    createdBy: credential.createdBy,
    createdAt: isoTime(credential.createdAt),
    lastUsedAt: isoTime(credential.lastUsedAt),
    revokedAt: isoTime(credential.revokedAt),
  };
}

/** A new credential as the API shows it once, with its secret. */
export function newCredentialView(credential: StorageCredential, secret: string): NewCredentialView {
  return { ...credentialView(credential), secret };
}

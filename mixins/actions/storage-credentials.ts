import { caller } from '../../models/schemas/internal.ts';
import { required } from '../../models/schemas/schema.ts';
import { newCredential } from '../../models/schemas/storage-credentials.ts';
import { uuid } from '../../models/schemas/values.ts';
import type { NewCredentialView, StorageCredentialView } from '../../models/storage-credential.ts';
import { action, type } from './action.ts';

const ofCredential = { caller: required(caller), credentialId: required(uuid) };

/** Actions of the storage actor about credentials of S3 and Blob clients. */
export const storageCredentialActions = {
  listCredentials: action({
    params: { caller: required(caller) },
    result: type<{ items: StorageCredentialView[] }>(),
    repeatable: true,
  }),
  // Each run makes a credential of its own.
  createCredential: action({
    params: { caller: required(caller), credential: required(newCredential) },
    result: type<NewCredentialView>(),
    repeatable: false,
  }),
  rotateCredential: action({ params: ofCredential, result: type<NewCredentialView>(), repeatable: false }),
  revokeCredential: action({ params: ofCredential, result: type<StorageCredentialView>(), repeatable: true }),
};

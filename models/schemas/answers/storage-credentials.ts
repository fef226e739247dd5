import { credentialKinds, storagePermissions } from '../../storage-credential.ts';
import type { Described } from '../schema.ts';
import { annotated, answer, described, id, listOf, literals, orNull, text, time } from './answer.ts';

const slot: Described<1 | 2> = described({ type: 'integer', enum: [1, 2] });

const fields = {
  id,
  name: text,
  kind: literals(...credentialKinds),
  accessKeyId: annotated(orNull(text), { description: 'Of S3 clients; else null.' }),
  slot: annotated(orNull(slot), { description: 'Of Blob clients; else null.' }),
  secretHint: annotated(text, { description: 'The last four characters of the secret.' }),
  permissions: listOf(literals(...storagePermissions)),
  bucketIds: annotated(orNull(listOf(id)), { description: 'Null: every bucket, also later ones.' }),
  state: literals('active', 'revoked'),
  expiresAt: orNull(time),
  createdBy: annotated(text, { description: '`user:<id>`' }),
  createdAt: time,
  lastUsedAt: orNull(time),
  revokedAt: orNull(time),
};

/** A credential for S3 or Blob clients. */
export const storageCredentialAnswer = answer('StorageCredential', fields);

/** A new credential. Its secret is never shown again. */
export const newCredentialAnswer = answer('NewStorageCredential', { ...fields, secret: text });

/** The credentials of an organization. */
export const storageCredentialsAnswer = answer('StorageCredentials', { items: listOf(storageCredentialAnswer) });

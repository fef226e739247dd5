import type { AuditLogRow } from './audit-log.ts';
import { defineCollection } from './collection.ts';
import type { newCredentialAnswer, storageCredentialAnswer } from './schemas/answers/storage-credentials.ts';
import type { Infer } from './schemas/schema.ts';
import type { Outboxed, OutboxItem } from './work.ts';

/** What a credential allows; see `allows`. */
export const storagePermissions = ['read', 'write', 'delete', 'manage'] as const;
/** A permission of a credential. */
export type StoragePermission = (typeof storagePermissions)[number];

/** Which door a credential opens: that of S3 clients, or that of Blob clients. */
export const credentialKinds = ['s3', 'azure'] as const;
/** The kind of a credential. */
export type CredentialKind = (typeof credentialKinds)[number];

/** Keys that an account of Blob clients has at a time. */
export const credentialSlots = [1, 2] as const;
/** The place of a key in an account of Blob clients. */
export type CredentialSlot = (typeof credentialSlots)[number];

/** What follows from a change of a credential. */
export type CredentialEntry = OutboxItem & { kind: 'audit'; row: AuditLogRow };

/** A credential of an organization for S3 or Blob clients. It is used while it is active and not expired. */
export interface StorageCredential extends Outboxed {
  accountId: string;
  name: string;
  kind: CredentialKind;
  /** Names the secret in S3 requests; absent for Blob clients, which name their account. */
  accessKeyId?: string;
  /** Blob clients alone. */
  slot?: CredentialSlot;
  /** See `slotKeyOf`; present while the slot is taken. */
  slotKey?: string;
  /** The secret, sealed for `credentialSecretContext`. */
  sealedSecret: string;
  /** The last characters of the secret. */
  secretHint: string;
  permissions: StoragePermission[];
  /** Null: every bucket, also those that are made later. */
  bucketIds: string[] | null;
  state: 'active' | 'revoked';
  expiresAt: number | null;
  /** `user:<id>`. */
  createdBy: string;
  createdAt: number;
  /** To the minute; null before the first use. */
  lastUsedAt: number | null;
  revokedAt: number | null;
  outbox: CredentialEntry[];
}

/** The credentials of all organizations. */
export const storageCredentials = defineCollection<StorageCredential>({
  name: 'storage_credentials',
  owner: 'organization',
  indexes: [
    { name: 'access_key', fields: ['accessKeyId'], unique: true, sparse: true },
    { name: 'slot', fields: ['slotKey'], unique: true, sparse: true },
    { name: 'newest', fields: ['organizationId', 'createdAt', '_id'] },
    { name: 'active', fields: ['organizationId', 'state', 'expiresAt'] },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});

/** The key of a slot in the unique index. */
export function slotKeyOf(organizationId: string, slot: CredentialSlot): string {
  return `${organizationId}.${slot}`;
}

/** The context (additional authenticated data) that a credential's secret is sealed for. */
export function credentialSecretContext(credentialId: string): string {
  return `storage-credential:${credentialId}:secret`;
}

/** Whether a credential is neither revoked nor expired. */
export function isUsable({ state, expiresAt }: Pick<StorageCredential, 'state' | 'expiresAt'>, now: number): boolean {
  return state === 'active' && (expiresAt === null || expiresAt > now);
}

type Grant = Pick<StorageCredential, 'permissions' | 'bucketIds'>;

/** Whether a credential reaches a bucket at all. */
export function reaches({ bucketIds }: Pick<Grant, 'bucketIds'>, bucketId: string): boolean {
  return bucketIds === null || bucketIds.includes(bucketId);
}

/**
 * Whether a credential allows an operation on a bucket: `read` to read and list, `write` to put, parts and copies (whose
 * source needs `read`), `delete`, and `manage` to make (without a bucket) and delete buckets.
 */
export function allows(credential: Grant, permission: StoragePermission, bucketId: string | null): boolean {
  return credential.permissions.includes(permission) && (bucketId === null || reaches(credential, bucketId));
}

/** A credential as the API shows it. */
export type StorageCredentialView = Infer<typeof storageCredentialAnswer>;
/** A credential with its secret, as it is answered once. */
export type NewCredentialView = Infer<typeof newCredentialAnswer>;

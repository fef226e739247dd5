import type { auditLogAnswer } from './schemas/answers/delivery-analytics.ts';
import type { Infer } from './schemas/schema.ts';
import { defineCollection } from './collection.ts';

/** What the audit log of an organization records. */
export type AuditLogAction =
  | 'bucket.created'
  | 'bucket.updated'
  | 'bucket.deleted'
  | 'bucket.restored'
  | 'bucket.retried'
  | 'bucket.key_rotated'
  | 'domain.added'
  | 'domain.check_requested'
  | 'domain.verified'
  | 'domain.active'
  | 'domain.failed'
  | 'domain.detached'
  | 'domain.deleted'
  | 'domain.released'
  | 'cache.purged'
  | 'object.deleted'
  | 'storage_account.created'
  | 'storage_account.updated'
  | 'credential.created'
  | 'credential.rotated'
  | 'credential.revoked'
  | 'video.deleted'
  | 'video.reencoded'
  | 'video.disabled'
  | 'video.reinstated'
  | 'takedown.bucket'
  | 'takedown.object'
  | 'takedown.reinstated'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.deleted'
  | 'webhook.secret_rotated';

/**
 * A row of an organization's audit log of buckets, objects and what belongs to them. Its id derives from its cause, so
 * the same change is recorded once. `detail` names changed fields, never their values.
 */
export interface AuditLogRow {
  _id: string;
  organizationId: string;
  /** Milliseconds. */
  at: number;
  /** `user:<id>`, `api_key:<id>` or `plycdn` (the service itself). */
  actor: string;
  action: AuditLogAction;
  resourceKind: 'bucket' | 'object' | 'domain' | 'video' | 'credential' | 'storage_account' | 'webhook';
  resourceId: string;
  detail: { [field: string]: string | number | boolean | null | string[] };
  /** Address of the client; null if it is unknown, or for the service itself. */
  ip: string | null;
}

/** The audit logs of all organizations. */
export const auditLog = defineCollection<AuditLogRow>({
  name: 'audit_log',
  owner: 'organization',
  indexes: [
    { name: 'newest', fields: ['organizationId', 'at', '_id'] },
    { name: 'action', fields: ['organizationId', 'action', 'at', '_id'] },
    { name: 'resource', fields: ['organizationId', 'resourceId', 'at', '_id'] },
  ],
});

/** A page of the audit log as the API shows it. */
export type AuditLogView = Infer<typeof auditLogAnswer>;

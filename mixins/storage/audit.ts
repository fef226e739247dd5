import { operatorKeyId, type Caller } from '../../models/api.ts';
import { auditLog, type AuditLogAction, type AuditLogRow } from '../../models/audit-log.ts';
import { systemScope } from '../../models/scope.ts';
import type { AppContext } from '../app-context.ts';

/** Writes rows of the audit log. Idempotent: a row that is there stays. */
export async function recordAudit({ records }: Pick<AppContext, 'records'>, rows: AuditLogRow[]): Promise<void> {
  await records.collection(auditLog, systemScope).insertNew(rows);
}

/** Who did something, as an audit row names it: a caller, or (null) the service itself. */
export type Actor = Pick<Caller, 'keyId' | 'userId' | 'ip'> | null;

/** A caller as audit rows and purges name it. */
export function actorName({ keyId, userId }: NonNullable<Actor>): string {
  if (userId !== undefined) return `user:${userId}`;
  return keyId === operatorKeyId ? 'plycdn' : `api_key:${keyId}`;
}

/** A row of the audit log. */
export function auditRow(
  { runtime }: Pick<AppContext, 'runtime'>,
  organizationId: string,
  actor: Actor,
  action: AuditLogAction,
  resource: { kind: AuditLogRow['resourceKind']; id: string },
  detail: AuditLogRow['detail'] = {},
): AuditLogRow {
  return {
    _id: runtime.uuid(),
    organizationId,
    at: runtime.now(),
    actor: actor === null ? 'plycdn' : actorName(actor),
    action,
    resourceKind: resource.kind,
    resourceId: resource.id,
    detail,
    ip: actor?.ip ?? null,
  };
}

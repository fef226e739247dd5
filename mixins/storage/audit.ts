import { auditLog, type AuditLogRow } from '../../models/audit-log.ts';
import { systemScope } from '../../models/scope.ts';
import type { AppContext } from '../app-context.ts';

/** Writes rows of the audit log. Idempotent: a row that is there stays. */
export async function recordAudit({ records }: Pick<AppContext, 'records'>, rows: AuditLogRow[]): Promise<void> {
  await records.collection(auditLog, systemScope).insertNew(rows);
}

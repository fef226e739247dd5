import type { BucketEntry } from '../../models/bucket.ts';
import type { DomainEntry } from '../../models/domain.ts';
import type { AppContext } from '../app-context.ts';
import { recordAudit } from './audit.ts';

/** Delivers the entries of a bucket's or domain's outbox: changes to the edges, and rows to the audit log. Idempotent. */
export async function deliverToEdgesAndAudit(
  app: Pick<AppContext, 'records' | 'edgeChanges'>,
  items: readonly (BucketEntry | DomainEntry)[],
): Promise<void> {
  const changes = items.flatMap((item) => (item.kind === 'edge' ? [item.change] : []));
  if (changes.length > 0) await app.edgeChanges.append(changes);
  await recordAudit(
    app,
    items.flatMap((item) => (item.kind === 'audit' ? [item.row] : [])),
  );
}

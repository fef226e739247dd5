import type { Collection } from '../../adapters/records/port.ts';
import type { Outboxed } from '../../models/work.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Delivers the due items of a document's outbox and removes them from there. Each delivery is idempotent, so after a
 * crash in between they are delivered again. Returns whether nothing is left.
 */
export async function drainOutbox<T extends Outboxed>(
  { records, metrics }: Pick<AppContext, 'records' | 'metrics'>,
  kind: { deliver(document: T, items: T['outbox']): Promise<void> },
  documents: Collection<T>,
  given: T,
): Promise<boolean> {
  for (let document: T | null = given; document !== null; document = await documents.get(document._id)) {
    const now = records.time();
    const due = document.outbox.filter(({ notBefore }) => notBefore <= now);
    const later = document.outbox.filter(({ notBefore }) => notBefore > now);
    if (due.length > 0) await kind.deliver(document, due);
    for (const item of due) metrics.outboxEntries.inc({ kind: item.kind });
    if (due.length === 0 && later.length > 0 && document.outboxDue !== undefined && document.outboxDue > now)
      return false;
    const changed = await documents.update(
      document._id,
      { version: document.version },
      {
        increment: { version: 1 },
        pullById: { outbox: due.map(({ id }) => id) },
        ...(later.length > 0
          ? { set: { outboxDue: Math.min(...later.map(({ notBefore }) => notBefore)) } }
          : { unset: ['outboxDue'] }),
      },
    );
    if (changed !== null) return later.length === 0;
  }
  return true;
}

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

/** Documents of one round of `drainDueOutboxes`. */
const pageSize = 200;
/** How long an outbox that could not be delivered is left alone, in milliseconds. */
const outboxRetryMs = 30_000;

/**
 * Delivers the outboxes that are due of documents without runs: those that whoever wrote them left behind. What fails is
 * logged, and tried again later. Returns how many there were. @throws StoreUnavailable
 */
export async function drainDueOutboxes<T extends Outboxed>(
  app: Pick<AppContext, 'records' | 'metrics' | 'log'>,
  kind: { deliver(document: T, items: T['outbox']): Promise<void> },
  documents: Collection<T>,
): Promise<number> {
  const now = app.records.time();
  const due = await documents.find({
    filter: { outboxDue: { $lte: now } },
    sort: [['outboxDue', 1]],
    limit: pageSize,
  });
  for (const document of due) {
    try {
      await drainOutbox(app, kind, documents, document);
    } catch (error) {
      app.log.warn({ err: error, documentId: document._id }, 'an outbox could not be delivered, will retry');
      const { _id, version } = document;
      await documents.update(_id, { version }, { set: { outboxDue: now + outboxRetryMs }, increment: { version: 1 } });
    }
  }
  return due.length;
}

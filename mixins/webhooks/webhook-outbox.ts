import type { Collection } from '../../adapters/records/port.ts';
import { scopeOf } from '../../models/scope.ts';
import { webhookDeliveries, webhooks, type Webhook, type WebhookEntry } from '../../models/webhook.ts';
import type { AppContext } from '../app-context.ts';
import { auditRow, recordAudit, type Actor } from '../storage/audit.ts';
import type { AuditLogAction, AuditLogRow } from '../../models/audit-log.ts';
import { drainOutbox } from '../work/outbox.ts';

/** The parts of the app that a change of an endpoint needs. */
export type WebhooksContext = Pick<AppContext, 'records' | 'runtime' | 'metrics' | 'log'>;

/** Deliveries that are read at a time. */
const pageSize = 200;
/** Attempts of a conditional write of an endpoint. */
const writeAttempts = 20;

/** The endpoints of one organization. */
export function webhooksOf({ records }: Pick<AppContext, 'records'>, organizationId: string): Collection<Webhook> {
  return records.collection(webhooks, scopeOf(organizationId));
}

/** An outbox item that writes a row of the audit log. */
export function webhookAudit(
  app: Pick<AppContext, 'runtime'>,
  { organizationId, _id: id }: Pick<Webhook, 'organizationId' | '_id'>,
  actor: Actor,
  action: AuditLogAction,
  detail: AuditLogRow['detail'] = {},
): WebhookEntry {
  const row = auditRow(app, organizationId, actor, action, { kind: 'webhook', id }, detail);
  return { id: row._id, kind: 'audit', notBefore: 0, row };
}

/** The outbox item that ends what is pending of the terms before this one. */
export function endOfDeliveries({ runtime }: Pick<AppContext, 'runtime'>, term: number): WebhookEntry {
  return { id: runtime.uuid(), kind: 'end_deliveries', notBefore: 0, term };
}

/** How the outboxes of endpoints are delivered. */
export function webhookOutbox(app: Pick<AppContext, 'records'>): {
  deliver(webhook: Webhook, items: WebhookEntry[]): Promise<void>;
} {
  return {
    deliver: async (webhook, items) => {
      await recordAudit(
        app,
        items.flatMap((item) => (item.kind === 'audit' ? [item.row] : [])),
      );
      const terms = items.flatMap((item) => (item.kind === 'end_deliveries' ? [item.term] : []));
      if (terms.length > 0) await endPending(app, webhook, Math.max(...terms));
    },
  };
}

/** Fields of a delivery that ends without another attempt. */
export const endedDelivery = {
  state: 'failed',
  nextAttemptAt: null,
  'run.phase': 'ended',
  'run.state': 'cancelled',
  'run.lease': null,
  'run.dueAt': null,
} as const;

/** Ends the pending deliveries of terms before this one. A worker that is sending one of them changes it no more. */
async function endPending(
  { records }: Pick<AppContext, 'records'>,
  { _id: webhookId, organizationId }: Webhook,
  term: number,
): Promise<void> {
  const deliveries = records.collection(webhookDeliveries, scopeOf(organizationId));
  const pending = { webhookId, state: 'pending', term: { $lt: term } } as const;
  for (;;) {
    const page = await deliveries.pick({ filter: pending, limit: pageSize }, ['_id']);
    await Promise.all(
      page.map(([id]) => deliveries.update(String(id), pending, { set: endedDelivery, increment: { version: 1 } })),
    );
    if (page.length < pageSize) return;
  }
}

/** Delivers what follows from a change that was just written; what fails is left to the upkeep. Returns the endpoint. */
export async function settleWebhook(app: WebhooksContext, written: Webhook): Promise<Webhook> {
  try {
    await drainOutbox(app, webhookOutbox(app), webhooksOf(app, written.organizationId), written);
  } catch (error) {
    app.log.warn({ err: error, webhookId: written._id }, 'the outbox of a webhook could not be delivered, will retry');
  }
  return written;
}

/** Makes an endpoint inactive whose attempts have shown it to be of no use, unless it was changed since. Idempotent. */
export async function deactivateWebhook(
  app: WebhooksContext,
  { organizationId, webhookId, term }: { organizationId: string; webhookId: string; term: number },
): Promise<void> {
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const webhook = await webhooksOf(app, organizationId).get(webhookId);
    if (webhook === null || !webhook.active || webhook.term !== term) return;
    const written = await webhooksOf(app, organizationId).update(
      webhookId,
      { version: webhook.version },
      {
        set: {
          active: false,
          term: term + 1,
          updatedAt: Math.max(app.runtime.now(), webhook.updatedAt),
          outboxDue: app.records.time(),
        },
        increment: { version: 1 },
        push: {
          outbox: [
            webhookAudit(app, webhook, null, 'webhook.updated', { fields: ['active'] }),
            endOfDeliveries(app, term + 1),
          ],
        },
      },
    );
    if (written !== null) {
      await settleWebhook(app, written);
      return;
    }
  }
  throw new Error('the endpoint is being changed by too many at once');
}

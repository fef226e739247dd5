import type { Change, Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { settleWebhook, webhookAudit, webhooksOf } from '../../mixins/webhooks/webhook-outbox.ts';
import type { Resolve } from '../../mixins/guarded-client/connector.ts';
import type { Caller } from '../../models/api.ts';
import type { AuditLogAction } from '../../models/audit-log.ts';
import { Refusal } from '../../models/errors.ts';
import { scopeOf } from '../../models/scope.ts';
import { webhookDeliveries, type Webhook, type WebhookDelivery, type WebhookEntry } from '../../models/webhook.ts';

/** The parts of the app that webhooks need. */
export type WebhooksApp = Pick<AppContext, 'records' | 'runtime' | 'configuration' | 'metrics' | 'log' | 'sealer'>;

/** What the functions of this actor share. */
export interface WebhookTools {
  app: WebhooksApp;
  /** Looks up the host names of endpoints. */
  resolve: Resolve;
  /** Hints that deliveries of this organization wait for an attempt. */
  wakeUp(organizationId: string): void;
}

/** Attempts of a conditional write before the caller is asked to try again. */
const writeAttempts = 20;

/** The deliveries of one organization. */
export function deliveriesOf(
  { records }: Pick<AppContext, 'records'>,
  organizationId: string,
): Collection<WebhookDelivery> {
  return records.collection(webhookDeliveries, scopeOf(organizationId));
}

/** An endpoint of the organization. @throws Refusal `webhook_not_found` */
export async function findWebhook(
  app: Pick<AppContext, 'records'>,
  organizationId: string,
  webhookId: string,
): Promise<Webhook> {
  const webhook = await webhooksOf(app, organizationId).get(webhookId);
  if (webhook === null || webhook.goneAt !== undefined) throw new Refusal('webhook_not_found');
  return webhook;
}

/** A write of an endpoint, with the audit row that says so. */
export interface WebhookChange {
  set: NonNullable<Change['set']>;
  unset?: readonly string[];
  /** Null: it is not recorded. */
  audit: { action: AuditLogAction; fields?: string[] } | null;
  outbox?: WebhookEntry[];
}

/**
 * Writes a change of an endpoint with its audit row, conditional on what was read, and delivers what follows from it.
 * @param decide the change for the endpoint as it is now; null if nothing is to be changed
 * @throws Refusal `webhook_not_found`
 */
export async function writeWebhook(
  { app }: WebhookTools,
  caller: Caller,
  webhookId: string,
  decide: (webhook: Webhook) => WebhookChange | null,
): Promise<Webhook> {
  const { organizationId } = caller;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const webhook = await findWebhook(app, organizationId, webhookId);
    const decided = decide(webhook);
    if (decided === null) return webhook;
    const { set, unset = [], audit, outbox = [] } = decided;
    const detail = audit?.fields === undefined ? {} : { fields: audit.fields };
    const entries = [...(audit === null ? [] : [webhookAudit(app, webhook, caller, audit.action, detail)]), ...outbox];
    const written = await webhooksOf(app, organizationId).update(
      webhookId,
      { version: webhook.version },
      {
        set: { ...set, ...(entries.length === 0 ? {} : { outboxDue: app.records.time() }) },
        unset,
        increment: { version: 1 },
        push: { outbox: entries },
      },
    );
    if (written !== null) return settleWebhook(app, written);
  }
  throw new Refusal('content_service_unavailable', {
    detail: 'It is being changed by too many at once; try again.',
    retryable: true,
    retryAfter: 1,
  });
}

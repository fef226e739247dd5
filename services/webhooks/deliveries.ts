import { webhooksOf } from '../../mixins/webhooks/webhook-outbox.ts';
import type { Caller } from '../../models/api.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { isoTime } from '../../models/runtime.ts';
import type { DeliveriesPage } from '../../models/schemas/webhooks.ts';
import {
  newDelivery,
  type DeliveryContent,
  type SentDeliveryView,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryView,
} from '../../models/webhook.ts';
import { deliveriesOf, findWebhook, type WebhookTools } from './tools.ts';
import { deliveryView } from './view.ts';

/** A page of an endpoint's deliveries, newest first. @throws Refusal `webhook_not_found`, `validation_error` */
export async function listDeliveries(
  { app }: WebhookTools,
  { organizationId }: Caller,
  webhookId: string,
  { state, cursor, limit }: DeliveriesPage,
): Promise<{ items: WebhookDeliveryView[]; nextCursor: string | null }> {
  const after = cursor === null ? null : readCursor(cursor);
  await findWebhook(app, organizationId, webhookId);
  const found = await deliveriesOf(app, organizationId).find({
    filter: { webhookId, ...(state === null ? {} : { state }) },
    sort: [
      ['createdAt', -1],
      ['_id', -1],
    ],
    limit: limit + 1,
    ...(after === null ? {} : { after }),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(deliveryView),
    nextCursor:
      found.length > page.length && last !== undefined
        ? Buffer.from(JSON.stringify([last.createdAt, last._id])).toString('base64url')
        : null,
  };
}

function readCursor(cursor: string): [number, string] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parsed) && parsed.length === 2 && Number.isInteger(parsed[0]) && typeof parsed[1] === 'string')
      return [Number(parsed[0]), parsed[1]];
  } catch {
    // Not JSON: answered like every other malformed cursor.
  }
  throw invalid(['query', 'cursor'], 'Send the nextCursor of the page before, as it was answered.');
}

/** Sends a test event to an endpoint, inactive or not. @throws Refusal `webhook_not_found` */
export async function pingWebhook(
  tools: WebhookTools,
  caller: Caller,
  webhookId: string,
  idempotencyId: string | undefined,
): Promise<{ deliveryId: string }> {
  const { runtime } = tools.app;
  const webhook = await findWebhook(tools.app, caller.organizationId, webhookId);
  const id = runtime.uuid();
  const body = JSON.stringify({
    id,
    type: 'webhook.ping',
    timestamp: isoTime(runtime.now()),
    organizationId: caller.organizationId,
    data: { webhookId },
  });
  return deliver(tools, webhook, idempotencyId, { event: 'webhook.ping', eventId: id, videoId: null, body });
}

/**
 * Sends the event of a delivery once more, to its endpoint as it is now, inactive or not: a new delivery with the same
 * event id.
 * @throws Refusal `delivery_not_found`, also where its endpoint was deleted
 */
export async function redeliver(
  tools: WebhookTools,
  caller: Caller,
  deliveryId: string,
  idempotencyId: string | undefined,
): Promise<{ deliveryId: string }> {
  const { delivery, webhook } = await findDelivery(tools, caller, deliveryId);
  const { event, eventId, videoId, body } = delivery;
  return deliver(tools, webhook, idempotencyId, { event, eventId, videoId, body });
}

/** One delivery with what it sends. @throws Refusal `delivery_not_found`, also where its endpoint was deleted */
export async function readDelivery(tools: WebhookTools, caller: Caller, deliveryId: string): Promise<SentDeliveryView> {
  const { delivery } = await findDelivery(tools, caller, deliveryId);
  return { ...deliveryView(delivery), body: delivery.body };
}

/** @throws Refusal `delivery_not_found`, also where its endpoint was deleted */
async function findDelivery(
  { app }: WebhookTools,
  { organizationId }: Caller,
  deliveryId: string,
): Promise<{ delivery: WebhookDelivery; webhook: Webhook }> {
  const delivery = await deliveriesOf(app, organizationId).get(deliveryId);
  if (delivery === null) throw new Refusal('delivery_not_found');
  const webhook = await webhooksOf(app, organizationId).get(delivery.webhookId);
  if (webhook === null || webhook.goneAt !== undefined) throw new Refusal('delivery_not_found');
  return { delivery, webhook };
}

async function deliver(
  { app, wakeUp }: WebhookTools,
  webhook: Webhook,
  idempotencyId: string | undefined,
  content: DeliveryContent,
): Promise<{ deliveryId: string }> {
  const deliveryId = idempotencyId ?? app.runtime.uuid();
  const delivery = newDelivery(deliveryId, webhook, content, { now: app.runtime.now(), storeNow: app.records.time() });
  await deliveriesOf(app, webhook.organizationId).insertNew([delivery]);
  wakeUp(webhook.organizationId);
  return { deliveryId };
}

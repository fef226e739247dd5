import { anyText, caller } from '../../models/schemas/internal.ts';
import { optional, required } from '../../models/schemas/schema.ts';
import { uuid } from '../../models/schemas/values.ts';
import { deliveriesPage, newWebhook, webhookPatch } from '../../models/schemas/webhooks.ts';
import type { SentDeliveryView, WebhookDeliveryView, WebhookView } from '../../models/webhook.ts';
import { action, type } from './action.ts';

const ofWebhook = { caller: required(caller), webhookId: required(uuid) };

/** Actions of the webhooks actor: endpoints, and what is sent to them. */
export const webhooksActions = {
  create: action({
    params: { caller: required(caller), id: required(anyText), webhook: required(newWebhook) },
    result: type<WebhookView>(),
    repeatable: true,
  }),
  list: action({ params: { caller: required(caller) }, result: type<{ items: WebhookView[] }>(), repeatable: true }),
  read: action({ params: ofWebhook, result: type<WebhookView>(), repeatable: true }),
  change: action({
    params: { ...ofWebhook, change: required(webhookPatch) },
    result: type<WebhookView>(),
    repeatable: true,
  }),
  // Run twice, the second would find nothing.
  remove: action({ params: ofWebhook, result: type<null>(), repeatable: false }),
  // Run twice, it would end the secret before.
  rotateSecret: action({ params: ofWebhook, result: type<WebhookView>(), repeatable: false }),
  ping: action({
    params: { ...ofWebhook, idempotencyId: optional(anyText) },
    result: type<{ deliveryId: string }>(),
    repeatable: false,
  }),
  listDeliveries: action({
    params: { ...ofWebhook, ...deliveriesPage },
    result: type<{ items: WebhookDeliveryView[]; nextCursor: string | null }>(),
    repeatable: true,
  }),
  readDelivery: action({
    params: { caller: required(caller), deliveryId: required(uuid) },
    result: type<SentDeliveryView>(),
    repeatable: true,
  }),
  redeliver: action({
    params: { caller: required(caller), deliveryId: required(uuid), idempotencyId: optional(anyText) },
    result: type<{ deliveryId: string }>(),
    repeatable: false,
  }),
};

import type { AppContext } from '../../mixins/app-context.ts';
import { isoTime } from '../../models/runtime.ts';
import {
  webhookSecretContext,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryView,
  type WebhookView,
} from '../../models/webhook.ts';

/** An endpoint as the API shows it. */
export function webhookView({ runtime }: Pick<AppContext, 'runtime'>, webhook: Webhook): WebhookView {
  const { previousSecretExpiresAt } = webhook;
  const isOver = previousSecretExpiresAt !== null && previousSecretExpiresAt <= runtime.now();
  return {
    id: webhook._id,
    url: webhook.url,
    events: webhook.events,
    description: webhook.description,
    active: webhook.active,
    secretRotatedAt: isoTime(webhook.secretRotatedAt),
    previousSecretExpiresAt: isOver ? null : isoTime(previousSecretExpiresAt),
    createdAt: isoTime(webhook.createdAt),
    updatedAt: isoTime(webhook.updatedAt),
  };
}

/** The same with its secret: for the answers of creation and rotation. */
export function webhookViewWithSecret(app: Pick<AppContext, 'runtime' | 'sealer'>, webhook: Webhook): WebhookView {
  const secret = app.sealer.open(webhook.sealedSecret, webhookSecretContext(webhook._id));
  return { ...webhookView(app, webhook), secret };
}

/** A delivery as the API shows it. */
export function deliveryView(delivery: WebhookDelivery): WebhookDeliveryView {
  return {
    id: delivery._id,
    webhookId: delivery.webhookId,
    event: delivery.event,
    videoId: delivery.videoId,
    state: delivery.state,
    attempts: delivery.attempts,
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    nextAttemptAt: isoTime(delivery.nextAttemptAt),
    createdAt: isoTime(delivery.createdAt),
    deliveredAt: isoTime(delivery.deliveredAt),
  };
}

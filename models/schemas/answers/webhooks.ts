import {
  annotated,
  answer,
  boolean,
  count,
  id,
  listOf,
  literals,
  optionalAnswer,
  orNull,
  text,
  time,
} from './answer.ts';

/** An endpoint of webhooks. */
export const webhookAnswer = answer('Webhook', {
  id,
  url: text,
  events: listOf(literals('video.playable', 'video.ready', 'video.failed')),
  description: orNull(text),
  active: boolean,
  secretRotatedAt: orNull(time),
  previousSecretExpiresAt: annotated(orNull(time), {
    description: 'Until then requests are signed with the secret before the last rotation too.',
  }),
  createdAt: time,
  updatedAt: time,
  secret: optionalAnswer(
    annotated(text, {
      description:
        'The key of signatures, as Standard Webhooks writes it. In the answers of creation and rotation only.',
    }),
  ),
});

/** The endpoints of an organization. */
export const webhooksAnswer = answer('Webhooks', { items: listOf(webhookAnswer) });

const deliveryFields = {
  id,
  webhookId: id,
  event: literals('video.playable', 'video.ready', 'video.failed', 'webhook.ping'),
  videoId: orNull(id),
  state: literals('pending', 'delivered', 'failed'),
  attempts: annotated(count, { description: 'Attempts that have ended.' }),
  lastStatus: orNull(count),
  lastError: orNull(
    literals('timeout', 'dns_failed', 'address_not_allowed', 'connection_failed', 'tls_failed', 'status'),
  ),
  nextAttemptAt: orNull(time),
  createdAt: time,
  deliveredAt: orNull(time),
};

/** One event for one endpoint. */
export const webhookDeliveryAnswer = answer('WebhookDelivery', deliveryFields);

/** The same with what is sent. */
export const sentDeliveryAnswer = answer('SentWebhookDelivery', {
  ...deliveryFields,
  body: annotated(text, { description: 'The body of each of its requests, to the byte: what signatures are made of.' }),
});

/** A page of deliveries. */
export const webhookDeliveriesAnswer = answer('WebhookDeliveries', {
  items: listOf(webhookDeliveryAnswer),
  nextCursor: orNull(text),
});

/** A delivery that was just made. */
export const newDeliveryAnswer = answer('NewWebhookDelivery', { deliveryId: id });

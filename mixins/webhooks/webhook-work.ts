import { webhookDeliveries, type WebhookDelivery } from '../../models/webhook.ts';
import type { WorkKind } from '../work/kind.ts';
import { deactivateWebhook, type WebhooksContext } from './webhook-outbox.ts';

/**
 * Attempts that one endpoint may have under way: of those whose last attempt succeeded, and of the others. An endpoint
 * that does not answer occupies no more places than that.
 */
const attemptsOfEndpoint = { delivering_webhook: 4, retrying_webhook: 1 };

/** Work on deliveries of webhooks. An attempt that fails is an outcome of the stage, not a failure of it. */
export function webhookWork(app: WebhooksContext): WorkKind<WebhookDelivery> {
  return {
    collection: webhookDeliveries,
    stages: ['delivering_webhook', 'retrying_webhook'],
    turns: {
      by: 'webhookId',
      cap: (stage) =>
        stage === 'delivering_webhook' ? attemptsOfEndpoint[stage] : attemptsOfEndpoint.retrying_webhook,
    },
    cleanup: () => [],
    maxAttempts: () => Infinity,
    deliver: async (delivery) => {
      await deactivateWebhook(app, delivery);
    },
    failureOf: (error) => {
      const isAway = error instanceof Error && error.name === 'StoreUnavailable';
      return { code: isAway ? 'store_unavailable' : 'internal_error', outcome: 'temporary' };
    },
    context: () => ({}),
    measure: ({ stage, outcome, seconds }) =>
      app.metrics.stageSeconds.observe({ stage, format: 'webhook', outcome }, seconds),
    ended: ({ state }) => app.metrics.webhookDeliveriesEnded.inc({ state: state === 'delivered' ? state : 'failed' }),
  };
}

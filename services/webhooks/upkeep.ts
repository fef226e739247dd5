import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { webhookOutbox } from '../../mixins/webhooks/webhook-outbox.ts';
import { drainDueOutboxes } from '../../mixins/work/outbox.ts';
import { systemScope } from '../../models/scope.ts';
import { webhookDeliveries, webhooks } from '../../models/webhook.ts';
import type { WebhooksApp } from './tools.ts';
import { webhookSlots } from './work.ts';

/** Records of one round. */
const pageSize = 200;
const secondMs = 1000;
/** How long deliveries are kept, in milliseconds. */
const deliveriesMs = 30 * 24 * 3600 * secondMs;

/** What is repeated in the background for webhooks. Several processes do each other no harm. */
export function webhookUpkeep(app: WebhooksApp): Intake[] {
  const every = (name: string, everyMs: number, round: () => Promise<unknown>, firstMs = everyMs): Intake =>
    periodicIntake({
      name,
      everyMs,
      firstMs,
      round,
      failed: (error) => app.log.warn({ err: error }, `${name} failed, will retry`),
    });
  const all = app.records.collection(webhooks, systemScope);
  return [
    every('delivering outboxes of webhooks', secondMs, () => drainDueOutboxes(app, webhookOutbox(app), all)),
    every('removing old records of webhooks', 60 * secondMs, () => removeOldWebhooks(app)),
    every('measuring webhooks', 15 * secondMs, () => measureWebhooks(app), 0),
  ];
}

/** Removes deliveries that are older than 30 days, deleted endpoints, and secrets that sign no more. */
export async function removeOldWebhooks({ records, runtime }: Pick<WebhooksApp, 'records' | 'runtime'>): Promise<void> {
  const now = runtime.now();
  const deliveries = records.collection(webhookDeliveries, systemScope);
  const old = { createdAt: { $lte: now - deliveriesMs }, 'run.phase': 'ended' } as const;
  while ((await deliveries.removeMany(old, pageSize)) === pageSize);
  const all = records.collection(webhooks, systemScope);
  const gone = await all.find({ filter: { goneAt: { $lte: now } }, limit: pageSize });
  for (const { _id, version, outbox } of gone) if (outbox.length === 0) await all.remove(_id, { version });
  const over = await all.find({ filter: { previousSecretExpiresAt: { $lte: now } }, limit: pageSize });
  for (const { _id, version } of over)
    await all.update(
      _id,
      { version },
      { set: { previousSecretExpiresAt: null }, unset: ['sealedPreviousSecret'], increment: { version: 1 } },
    );
}

/** Counts what waits and which endpoints fail, for the metrics. */
async function measureWebhooks({ records, metrics }: Pick<WebhooksApp, 'records' | 'metrics'>): Promise<void> {
  metrics.webhooksFailing.set(
    await records.collection(webhooks, systemScope).count({ failingSince: { $exists: true } }),
  );
  const deliveries = records.collection(webhookDeliveries, systemScope);
  for (const stage of Object.keys(webhookSlots))
    metrics.webhookDeliveriesWaiting.set(
      { stage },
      await deliveries.count({ 'run.phase': 'waiting', 'run.stage': stage }),
    );
}

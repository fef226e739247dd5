import type { AppContext } from '../../mixins/app-context.ts';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { endedDelivery, webhooksOf } from '../../mixins/webhooks/webhook-outbox.ts';
import { webhookWork } from '../../mixins/webhooks/webhook-work.ts';
import * as transitions from '../../mixins/work/transitions.ts';
import { stageWorker, type StageResult, type StageWork } from '../../mixins/work/worker.ts';
import { webhookSecretContext, type Webhook, type WebhookDelivery, type WebhookStage } from '../../models/webhook.ts';
import { attemptDelivery, type AttemptOutcome } from './attempt.ts';
import { maxFailingMs, waitAfter } from './schedule.ts';

/**
 * Attempts that a process makes at a time. They wait for others, so there are many; those of endpoints that fail are
 * apart.
 */
export const webhookSlots: { readonly [S in WebhookStage]: number } = {
  delivering_webhook: 512,
  retrying_webhook: 256,
};

/** Status of an answer that says that the endpoint is gone for good (RFC 9110, 15.5.11). */
const gone = 410;

/** The parts of the app that an attempt needs. */
export type AttemptApp = Pick<AppContext, 'records' | 'runtime' | 'sealer' | 'metrics'>;

/** The intakes that send deliveries in this process. */
export function webhookWorkers(
  app: AppContext,
  client: GuardedClient,
  changed: (organizationId: string, stages: readonly string[]) => void,
): Intake[] {
  const kind = webhookWork(app);
  return (['delivering_webhook', 'retrying_webhook'] as const).map((stage) =>
    stageWorker(app, kind, { stage, slots: webhookSlots[stage], changed, work: (given) => send(app, client, given) }),
  );
}

/** Makes one attempt at a delivery, and decides what follows from it. */
export async function send(
  app: AttemptApp,
  client: GuardedClient,
  { document: delivery, signal }: Pick<StageWork<WebhookDelivery>, 'document' | 'signal'>,
): Promise<StageResult<WebhookDelivery>> {
  const { organizationId, webhookId } = delivery;
  const webhook = await webhooksOf(app, organizationId).get(webhookId);
  // It became inactive or was deleted after whoever made the delivery had read it.
  if (webhook === null || webhook.goneAt !== undefined || webhook.term !== delivery.term)
    return (document, now) => {
      const { filter, change } = transitions.complete(document, 'cancelled', now);
      return { filter, change: { ...change, set: { ...change.set, ...endedDelivery } } };
    };
  const began = app.runtime.now();
  if (delivery.attempts === 0) app.metrics.webhookFirstAttempt.observe((began - delivery.createdAt) / 1000);
  const terms = { now: began, signal };
  const outcome = await attemptDelivery(client, webhook.url, secretsOf(app, webhook, began), delivery, terms);
  const now = app.runtime.now();
  app.metrics.webhookAttempts.observe({ outcome: outcome.error ?? 'delivered' }, (now - began) / 1000);
  const failingSince = await recordOutcome(app, webhook, outcome, now);
  const isUseless = outcome.status === gone || (failingSince !== null && now - failingSince >= maxFailingMs);
  const wait = isUseless ? null : waitAfter(delivery.attempts + 1, app.runtime.random());
  return (document, storeNow) => resultOf(document, outcome, { now, storeNow, wait, isUseless });
}

/** The secrets that sign now, the current one first. */
function secretsOf({ sealer }: Pick<AppContext, 'sealer'>, webhook: Webhook, now: number): string[] {
  const { _id, sealedSecret, sealedPreviousSecret, previousSecretExpiresAt } = webhook;
  const context = webhookSecretContext(_id);
  const isPreviousValid = sealedPreviousSecret !== undefined && (previousSecretExpiresAt ?? 0) > now;
  return [sealedSecret, ...(isPreviousValid ? [sealedPreviousSecret] : [])].map((sealed) =>
    sealer.open(sealed, context),
  );
}

/** Remembers at the endpoint since when its attempts fail. Returns that time; null after a success. */
async function recordOutcome(
  { records }: Pick<AppContext, 'records'>,
  { _id, organizationId, failingSince }: Webhook,
  { error }: AttemptOutcome,
  now: number,
): Promise<number | null> {
  if (error === null && failingSince === null) return null;
  if (error !== null && failingSince !== null) return failingSince;
  const written = await webhooksOf({ records }, organizationId).update(
    _id,
    { failingSince },
    { set: { failingSince: error === null ? null : now }, increment: { version: 1 } },
  );
  return error === null ? null : (written?.failingSince ?? now);
}

/** The write of an attempt's outcome, conditional on the lease. */
function resultOf(
  delivery: WebhookDelivery,
  { status, error }: AttemptOutcome,
  { now, storeNow, wait, isUseless }: { now: number; storeNow: number; wait: number | null; isUseless: boolean },
): transitions.Transition {
  const attempted = { attempts: delivery.attempts + 1, lastStatus: status, lastError: error };
  if (error === null)
    return transitions.complete(delivery, 'ready', storeNow, {
      document: { ...attempted, state: 'delivered', nextAttemptAt: null, deliveredAt: now },
    });
  if (wait === null)
    return transitions.complete(delivery, 'failed', storeNow, {
      document: { ...attempted, state: 'failed', nextAttemptAt: null },
      outbox: isUseless ? [{ id: `${delivery._id}-deactivate`, kind: 'deactivate', notBefore: 0 }] : [],
    });
  const { filter, change } = transitions.advance(delivery, 'retrying_webhook', storeNow, {
    document: { ...attempted, nextAttemptAt: now + wait },
  });
  return {
    filter,
    change: { ...change, set: { ...change.set, 'run.phase': 'put_off', 'run.dueAt': storeNow + wait } },
  };
}

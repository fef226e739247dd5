import { scopeOf } from '../../models/scope.ts';
import type { VideoEvent } from '../../models/video.ts';
import {
  contentOfEvent,
  deliveryIdOf,
  maxWebhooks,
  newDelivery,
  webhookDeliveries,
  webhooks,
  type WebhookStage,
} from '../../models/webhook.ts';
import type { AppContext } from '../app-context.ts';

/** Tells the scheduler that runs of an organization wait for stages. */
export type WakeUp = (organizationId: string, stages: readonly string[]) => void;

/** Where new deliveries wait: those to an endpoint that fails are apart. */
const stages: readonly WebhookStage[] = ['delivering_webhook', 'retrying_webhook'];

/**
 * Makes the deliveries of events to the active endpoints that subscribe to them. It is what the outbox of a video calls
 * for its entries: the ids of deliveries are made of those of event and endpoint, so that repeating it changes nothing.
 * @param wakeUp tells the scheduler, so that the deliveries are sent at once; without it, within about a second
 */
export async function publishEvents(
  { records, runtime }: Pick<AppContext, 'records' | 'runtime'>,
  events: readonly VideoEvent[],
  wakeUp: WakeUp = () => undefined,
): Promise<void> {
  for (const organizationId of new Set(events.map((event) => event.organizationId))) {
    const scope = scopeOf(organizationId);
    const endpoints = await records.collection(webhooks, scope).find({
      filter: { listedAt: { $exists: true } },
      sort: [
        ['listedAt', 1],
        ['_id', 1],
      ],
      // Concurrent creations may exceed the limit for a moment.
      limit: 2 * maxWebhooks,
    });
    const times = { now: runtime.now(), storeNow: records.time() };
    const made = events
      .filter((event) => event.organizationId === organizationId)
      .flatMap((event) =>
        endpoints
          .filter(({ active, events: subscribed }) => active && subscribed.includes(event.type))
          .map((endpoint) => newDelivery(deliveryIdOf(event.id, endpoint._id), endpoint, contentOfEvent(event), times)),
      );
    if (made.length === 0) continue;
    await records.collection(webhookDeliveries, scope).insertNew(made);
    wakeUp(organizationId, stages);
  }
}

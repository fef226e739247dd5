import type { AuditLogRow } from './audit-log.ts';
import { defineCollection } from './collection.ts';
import { derivedUuid, isoTime } from './runtime.ts';
import type { sentDeliveryAnswer, webhookAnswer, webhookDeliveryAnswer } from './schemas/answers/webhooks.ts';
import type { Infer } from './schemas/schema.ts';
import type { VideoEvent, VideoEventType } from './video.ts';
import { queuedRun, type OutboxItem, type Outboxed, type Runnable, type WorkRun } from './work.ts';

/** The events that an endpoint can subscribe to. */
export const webhookEvents = ['video.playable', 'video.ready', 'video.failed'] as const satisfies VideoEventType[];
/** What a delivery tells: an event, or a test. */
export type DeliveredEvent = VideoEventType | 'webhook.ping';

/** Endpoints that an organization may have. */
export const maxWebhooks = 10;

/** A change of other documents that follows from a change of an endpoint. */
export type WebhookEntry = OutboxItem &
  (
    | { kind: 'audit'; row: AuditLogRow }
    /** Pending deliveries of earlier terms end as failed. */
    | { kind: 'end_deliveries'; term: number }
  );

/** An endpoint of an organization that events are sent to. */
export interface Webhook extends Outboxed {
  accountId: string;
  url: string;
  events: VideoEventType[];
  description: string | null;
  active: boolean;
  /** The secret of signatures, `whsec_...`, sealed for `webhookSecretContext`. */
  sealedSecret: string;
  /** The secret before the last rotation; absent if there is none. Signatures with it end at `previousSecretExpiresAt`. */
  sealedPreviousSecret?: string;
  previousSecretExpiresAt: number | null;
  secretRotatedAt: number | null;
  /** Time of the first failure since a success, or since it was made active; null: the last attempt succeeded. */
  failingSince: number | null;
  /**
   * Grows when the endpoint becomes inactive or is deleted. A delivery is of the term it was made in, and ends with it:
   * one that is written by a process which read the endpoint before is never sent.
   */
  term: number;
  createdAt: number;
  updatedAt: number;
  /** Equal to createdAt while the endpoint is not deleted: lists are sorted by it. */
  listedAt?: number;
  /** When it was deleted; the record goes once its outbox is delivered. */
  goneAt?: number;
  outbox: WebhookEntry[];
}

/** The context that the secrets of an endpoint are sealed for. */
export function webhookSecretContext(webhookId: string): string {
  return `webhook:${webhookId}:secret`;
}

/** The endpoints of all organizations. */
export const webhooks = defineCollection<Webhook>({
  name: 'webhooks',
  owner: 'organization',
  indexes: [
    { name: 'listed', fields: ['organizationId', 'listedAt', '_id'] },
    { name: 'gone', fields: ['goneAt'], sparse: true },
    { name: 'previous_secret', fields: ['previousSecretExpiresAt'], sparse: true },
    { name: 'failing', fields: ['failingSince'], sparse: true },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});

/**
 * The two queues of deliveries. Those of endpoints whose last attempt failed are in a queue of their own, so that they
 * never take the places of the others.
 */
export type WebhookStage = 'delivering_webhook' | 'retrying_webhook';

/** The work on a delivery: its next attempt. */
export interface DeliveryRun extends WorkRun {
  stage: WebhookStage;
}

/** An endpoint that an attempt has shown to be of no use: it becomes inactive. */
export type DeliveryEntry = OutboxItem & { kind: 'deactivate' };

/** State of a delivery in the API. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';
/** Why the last attempt failed, in the API. */
export type DeliveryError = NonNullable<WebhookDeliveryView['lastError']>;

/** One event for one endpoint, with the work on it. */
export interface WebhookDelivery extends Runnable {
  webhookId: string;
  /** Term of the endpoint that it was made in. */
  term: number;
  event: DeliveredEvent;
  /** The `webhook-id`: the same in all attempts, and in redeliveries. */
  eventId: string;
  videoId: string | null;
  /** The body of the requests, JSON: the same in all attempts, and in redeliveries. */
  body: string;
  state: DeliveryState;
  /** Attempts that have ended. */
  attempts: number;
  /** Status of the last answer; null if there was none. */
  lastStatus: number | null;
  lastError: DeliveryError | null;
  nextAttemptAt: number | null;
  createdAt: number;
  deliveredAt: number | null;
  run: DeliveryRun;
  outbox: DeliveryEntry[];
}

/** The deliveries of all organizations. */
export const webhookDeliveries = defineCollection<WebhookDelivery>({
  name: 'webhook_deliveries',
  owner: 'organization',
  indexes: [
    { name: 'newest', fields: ['organizationId', 'webhookId', 'createdAt', '_id'] },
    { name: 'state', fields: ['organizationId', 'webhookId', 'state', 'createdAt', '_id'] },
    { name: 'age', fields: ['createdAt'] },
    { name: 'turn', fields: ['run.phase', 'run.stage', 'webhookId', 'run.queuedAt'] },
    { name: 'due', fields: ['run.phase', 'run.dueAt'] },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});

/** An endpoint as the API shows it. */
export type WebhookView = Infer<typeof webhookAnswer>;
/** A delivery as the API shows it. */
export type WebhookDeliveryView = Infer<typeof webhookDeliveryAnswer>;
/** The same with what it sends. */
export type SentDeliveryView = Infer<typeof sentDeliveryAnswer>;

/** What a delivery sends, whatever it tells. */
export interface DeliveryContent {
  event: DeliveredEvent;
  eventId: string;
  videoId: string | null;
  body: string;
}

/** What is sent for an event of a video. */
export function contentOfEvent({ id, type, at, organizationId, videoId, ...event }: VideoEvent): DeliveryContent {
  const { libraryId, status, errorCode, sequence } = event;
  const data = { videoId, libraryId, status, ...(errorCode === null ? {} : { errorCode }), sequence };
  const body = JSON.stringify({ id, type, timestamp: isoTime(at), organizationId, data });
  return { event: type, eventId: id, videoId, body };
}

/** A new delivery, which waits for its first attempt. @param times of the process, and of the records */
export function newDelivery(
  id: string,
  {
    _id: webhookId,
    organizationId,
    term,
    failingSince,
  }: Pick<Webhook, '_id' | 'organizationId' | 'term' | 'failingSince'>,
  content: DeliveryContent,
  times: { now: number; storeNow: number },
): WebhookDelivery {
  return {
    _id: id,
    organizationId,
    webhookId,
    term,
    ...content,
    state: 'pending',
    attempts: 0,
    lastStatus: null,
    lastError: null,
    nextAttemptAt: times.now,
    createdAt: times.now,
    deliveredAt: null,
    run: queuedRun(id, failingSince === null ? 'delivering_webhook' : 'retrying_webhook', times.storeNow),
    outbox: [],
    version: 1,
  };
}

/** The id of the delivery of an event to an endpoint, made of both. */
export function deliveryIdOf(eventId: string, webhookId: string): string {
  return derivedUuid(`${eventId}\n${webhookId}`);
}

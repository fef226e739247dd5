import { defineCollection } from './collection.ts';
import type { UsageMetric } from './usage-metric.ts';

/** A use of the service. Its id derives from its cause, so a repeated event counts once. It is never changed. */
export interface UsageEvent {
  /** `<job>:<stage seq>:<metric>`, `<search id>:search`, or another name of the cause. */
  _id: string;
  accountId: string;
  organizationId: string;
  /** The file it was for. */
  assetId: string | null;
  /** The bucket, library or domain it was for; the organization, of a storage request about no bucket. */
  resourceId?: string;
  metric: UsageMetric;
  /** Region, region group or `ocr`, where the metric is divided by it. */
  dimension?: string;
  /** A whole number of the metric's base units (models/usage-metric.ts). */
  quantity: number;
  /** The file with the same content that was charged before; the quantity is then 0. */
  duplicateOf?: string;
  /** When it happened: the work finished, the response ended (milliseconds). */
  at: number;
  /** When the ledger received it, by the time of the store. */
  receivedAt: number;
  /**
   * Its day (YYYY-MM-DD), of the account's time zone when it was received, or of UTC. It stays when the time zone is
   * changed. Events of the first version have none until they are counted.
   */
  day?: string;
  /** Its month (YYYY-MM), where that was closed when the event was received: it is charged on the open month. */
  lateFor?: string;
}

/** An event as its producer sends it. A producer names the day only where it measures what a day ended with. */
export type NewUsageEvent = Omit<UsageEvent, 'receivedAt' | 'lateFor'>;

/** The ledger's append-only log. */
export const usageEvents = defineCollection<UsageEvent>({
  name: 'usage_events',
  owner: 'deployment',
  indexes: [
    { name: 'account_day', fields: ['accountId', 'day', '_id'] },
    { name: 'received', fields: ['receivedAt', '_id'] },
    { name: 'late', fields: ['accountId', 'receivedAt', 'lateFor'], sparse: true },
  ],
  formerIndexes: ['account_time'],
});

/**
 * Events on their way into the log. A batch is written before the ledgers are read that say which months are closed, and
 * removed when its events are in the log. So a closing that has marked its month, and then finishes all batches that it
 * finds, has every event that was not late for the month; and so do events of a process that died.
 */
export interface UsageBatch {
  _id: string;
  /** Store time before it was written: none of its events is received earlier. */
  at: number;
  events: NewUsageEvent[];
}

/** The batches of all processes: those of this moment, and of processes that died. */
export const usageBatches = defineCollection<UsageBatch>({
  name: 'usage_batches',
  owner: 'deployment',
  indexes: [{ name: 'at', fields: ['at', '_id'] }],
});

/**
 * Events that wait to be appended to the log: for producers that must not wait for the ledger. A producer inserts an event
 * under its fixed id, in the outbox of what it follows from or just after it; the ledger moves it to the log. One that is
 * inserted again after that stands in the log once.
 */
export const pendingUsage = defineCollection<NewUsageEvent>({
  name: 'pending_usage',
  owner: 'deployment',
  indexes: [],
});

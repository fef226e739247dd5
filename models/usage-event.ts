import { defineCollection } from './collection.ts';

/** Base units: integers, so that sums are exact. */
export type UsageMetric = 'source_bytes' | 'document_megabytes' | 'searches' | 'audio_hours' | 'media_hours' | 'ocr_frames' | 'answers';

/** Something that was used, once. Its id is fixed by its cause, so the same event twice counts once, for ever. */
export interface UsageEvent {
  /** `<job>:<stage seq>:<metric>` or `<search id>:search`. */
  _id: string;
  accountId: string;
  organizationId: string;
  assetId: string | null;
  metric: UsageMetric;
  /** Integer in the metric's base unit: bytes (source_bytes, document_megabytes), milliseconds (hours) or a count (frames, searches). */
  quantity: number;
  /** When the work finished (milliseconds). */
  at: number;
  /** When the ledger received it. */
  receivedAt: number;
}

/** The ledger's append-only log. */
export const usageEvents = defineCollection<UsageEvent>({
  name: 'usage_events',
  owner: 'deployment',
  indexes: [{ name: 'account_time', fields: ['accountId', 'at', '_id'] }],
});

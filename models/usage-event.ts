import { defineCollection } from './collection.ts';

/** Base units: integers, so that sums are exact. */
export type UsageMetric =
  'source_bytes' | 'document_megabytes' | 'searches' | 'audio_hours' | 'media_hours' | 'ocr_frames' | 'answers';

/** A use of the service. Its id derives from its cause, so a repeated event counts once. */
export interface UsageEvent {
  /** `<job>:<stage seq>:<metric>` or `<search id>:search`. */
  _id: string;
  accountId: string;
  organizationId: string;
  assetId: string | null;
  metric: UsageMetric;
  /**
   * Integer in the metric's base unit: bytes (source_bytes, document_megabytes), milliseconds (hours) or a count
   * (frames, searches).
   */
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

import type { Kind, Warning } from './asset.ts';
import type { JobState, Stage } from './job.ts';

/** Answer of GET /suggest. */
export interface Suggestions {
  /** As it was sent. */
  prefix: string;
  items: { query: string; searches: number; meanResults: number }[];
}

/** Answer of GET /analytics/searches. Days are of the account's time zone, the last of the window is today. */
export interface SearchAnalytics {
  summary: {
    searches: number;
    withResults: number;
    withoutResults: number;
    answers: number;
    /** One decimal. */
    meanResults: number;
    /** Null where nothing was searched. */
    medianMilliseconds: number | null;
  };
  topQueries: { query: string; searches: number; meanResults: number; lastSearchedAt: string }[];
  daily: { day: string; searches: number; withoutResults: number }[];
  /** Searches that found nothing, by query. */
  withoutResults: { query: string; searches: number; lastSearchedAt: string }[];
  windowDays: number;
  recordingSince: string | null;
}

/** A file that needs somebody, with its latest job. */
export interface AttentionItem {
  assetId: string;
  externalId: string;
  filename: string;
  kind: Kind;
  jobId: string;
  state: JobState;
  stage: Stage;
  errorCode: string | null;
  attempt: number;
  updatedAt: string;
}

/** Answer of GET /analytics/library. */
export interface LibraryHealth {
  /** Latest jobs by state, every state with its number. */
  states: { [S in JobState]: number };
  /** Files whose latest job failed or waits for access. */
  needsAttention: number;
  items: AttentionItem[];
  indexedButEmpty: { assetId: string; externalId: string; filename: string; kind: Kind; warnings: Warning[] }[];
  sourceMissing: { assetId: string; externalId: string; filename: string; kind: Kind; sourceUrl: string; missingSince: string }[];
}

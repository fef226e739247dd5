import type { Kind } from './asset.ts';
import { defineCollection } from './collection.ts';
import type { QuotaMetric } from './quotas.ts';

/** Metrics whose quota refuses new work when it is reached. The one of content kept searchable only alerts. */
export const enforcedMetrics = [
  'media_hours',
  'document_megabytes',
  'searches',
  'answers',
] as const satisfies readonly QuotaMetric[];

/** A metric whose quota refuses new work. */
export type EnforcedMetric = (typeof enforcedMetrics)[number];

/** The metric whose quota refuses to index another file of a kind. */
export function quotaOfKind(kind: Kind): EnforcedMetric {
  return kind === 'document' ? 'document_megabytes' : 'media_hours';
}

/** Whether a metric's quota refuses new work. */
export function isEnforced(metric: string): metric is EnforcedMetric {
  return enforcedMetrics.some((enforced) => enforced === metric);
}

/**
 * What an account with quotas has used in a month. Each usage event is added when it has reached the log; the roll-ups of
 * the log correct it. It decides what is refused, never what is charged.
 */
export interface QuotaCount {
  /** `<account id>:<month>`. */
  _id: string;
  accountId: string;
  /** YYYY-MM in the account's time zone. */
  month: string;
  /** Whole base units of each metric. */
  used: { [M in EnforcedMetric]?: number };
  /** When use was added last, by the time of the store. */
  changedAt: number;
  /** When it alerted, by `<metric>_<threshold>`. */
  alerted?: { [alert: string]: number };
}

/** The counts of all accounts. */
export const quotaCounts = defineCollection<QuotaCount>({
  name: 'quota_counts',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId', 'month'], unique: true }],
});

/** The id of an account's count. */
export function quotaCountId(accountId: string, month: string): string {
  return `${accountId}:${month}`;
}

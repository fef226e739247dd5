import { scaledDecimal } from './exact-decimal.ts';

/** The metrics that may have a quota of a month, in the order in which they are shown. */
export const quotaMetrics = [
  'media_hours',
  'document_megabytes',
  'searches',
  'answers',
  'index_gigabyte_months',
] as const;

/** A metric that may have a quota. */
export type QuotaMetric = (typeof quotaMetrics)[number];

/** Percentages of a quota at which it alerts where an account has none of its own. */
export const defaultAlertThresholds: readonly number[] = [80, 100];

const maxQuota = 9_000_000_000;

/**
 * A quota as an operator writes it, in millionths of the metric's unit.
 * @throws Error if it is no number from 0 with at most six decimals
 */
export function quotaOf(text: string): number {
  const quota = /^\d{1,10}(\.\d{1,6})?$/.test(text) ? scaledDecimal(Number(text), 6) : null;
  if (quota === null || Number(text) > maxQuota)
    throw new Error(`${text} is no quota: a number from 0 to ${maxQuota} with at most 6 decimals, or none`);
  return quota;
}

/** Whether a metric may have a quota. */
export function isQuotaMetric(name: string): name is QuotaMetric {
  return quotaMetrics.some((metric) => metric === name);
}

/** Whether so many base units are all of a quota, or more. @param perUnit base units of one unit of the metric */
export function isReached(quota: number, baseUnits: bigint, perUnit: bigint): boolean {
  return baseUnits * millionths >= BigInt(quota) * perUnit;
}

const millionths = 1_000_000n;

/**
 * Percent of a quota that so many base units are, with one decimal, rounded half up; 100 of a quota of 0.
 * @param perUnit base units of one unit of the metric
 */
export function percentOf(quota: number, baseUnits: bigint, perUnit: bigint): number {
  if (quota === 0) return 100;
  const whole = BigInt(quota) * perUnit;
  return Number((baseUnits * millionths * 2000n + whole) / (2n * whole)) / 10;
}

/** The thresholds that are not above a percentage. @param percent null without a quota */
export function thresholdsReached(thresholds: readonly number[], percent: number | null): number[] {
  return percent === null ? [] : thresholds.filter((threshold) => threshold <= percent);
}

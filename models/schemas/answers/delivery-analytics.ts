import { regionGroups } from '../../region-group.ts';
import { resourceMetrics } from '../delivery-analytics.ts';
import {
  annotated,
  answer,
  boolean,
  count,
  day,
  described,
  id,
  listOf,
  literals,
  month,
  optionalAnswer,
  orNull,
  text,
  time,
} from './answer.ts';

const amount = described<number>({ type: 'number', minimum: 0 });
const gb = annotated(amount, { description: 'GB of 2^30 bytes, six decimals.' });

const groupVolume = answer('RegionGroupVolume', {
  regionGroup: literals(...regionGroups),
  label: text,
  gb,
  requests: count,
});

/** Answer of GET /delivery/analytics. */
export const deliveryAnalyticsAnswer = answer('DeliveryAnalytics', {
  from: day,
  to: day,
  bucketId: orNull(id),
  totals: answer('DeliveryVolume', { gb, requests: count }),
  days: listOf(
    answer('DeliveryDay', { day, gb, requests: count, provisional: boolean, regionGroups: listOf(groupVolume) }),
  ),
  regionGroups: listOf(groupVolume),
  buckets: listOf(answer('BucketVolume', { bucketId: id, bucketName: text, gb, requests: count })),
});

/** Answer of GET /usage/resources. */
export const resourceUsageAnswer = answer('ResourceUsage', {
  items: listOf(
    answer('ResourceUsageRow', {
      resourceId: text,
      resourceName: orNull(text),
      metric: literals(...resourceMetrics),
      day,
      dimension: orNull(text),
      quantity: amount,
      unit: text,
      provisional: boolean,
    }),
  ),
  nextCursor: optionalAnswer(text),
});

/** Answer of GET /audit. */
export const auditLogAnswer = answer('AuditLog', {
  items: listOf(
    answer('AuditLogRow', {
      at: time,
      actor: text,
      action: text,
      resourceKind: text,
      resourceId: text,
      detail: described<{ [field: string]: string | number | boolean | null | string[] }>({ type: 'object' }),
      ip: orNull(text),
    }),
  ),
  nextCursor: orNull(text),
});

/** One step of a series: seconds since 1970, then bytes, requests, cache hits, cache misses, and responses by class. */
const point = described<number[]>({ type: 'array', items: { type: 'integer' }, minItems: 9, maxItems: 9 });

/** Answer of GET /analytics/delivery. */
export const trafficAnalyticsAnswer = answer('TrafficAnalytics', {
  from: day,
  to: day,
  resolution: literals('hour', 'day', 'month'),
  timezone: text,
  bucketId: orNull(id),
  dimension: orNull(text),
  groupBy: literals('value', 'bucket', 'organization'),
  series: listOf(answer('TrafficSeries', { key: text, label: optionalAnswer(text), points: listOf(point) })),
  totals: answer('TrafficTotals', {
    bytes: count,
    requests: count,
    cacheHits: count,
    cacheMisses: count,
    status: answer('TrafficStatuses', { '2xx': count, '3xx': count, '4xx': count, '5xx': count }),
  }),
  topCountries: listOf(answer('CountryRequests', { country: text, requests: count })),
  notices: listOf(
    answer('TrafficNotice', {
      kind: literals('ceiling_reached', 'hours_missing', 'logging_disabled'),
      organization: id,
      dimension: orNull(text),
      from: day,
      to: day,
    }),
  ),
  provisional: boolean,
});

const breakdownRow = answer('TrafficBreakdownRow', {
  organization: id,
  bucketId: id,
  bucket: text,
  dimension: text,
  value: text,
  bytes: count,
  requests: count,
  cacheHits: count,
  cacheMisses: count,
});

/** Answer of GET /analytics/delivery/breakdown as JSON. */
export const breakdownAnswer = answer('TrafficBreakdown', {
  month,
  by: literals('organization', 'dimension'),
  timezone: text,
  bucketId: orNull(id),
  dimension: orNull(text),
  rows: listOf(breakdownRow),
  provisional: boolean,
});

/** Answer of POST /buckets/{bucketId}/analytics/preview. */
export const previewAnswer = answer('AnalyticsPreview', {
  sampleSize: count,
  distinctValues: count,
  basis: literals('traffic', 'files'),
  note: orNull(text),
  examples: listOf(answer('PreviewExample', { value: text, count })),
  estimatedValuesPerMonth: count,
  estimatedMonthlyPrice: orNull(answer('MonthlyPrice', { currency: text, amount })),
});

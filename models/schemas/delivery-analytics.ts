import { invalid } from '../errors.ts';
import { utcDay } from '../utc-days.ts';
import { dimension } from './bucket-settings.ts';
import { object, optional, required, schemaOf, withDefault, type Schema } from './schema.ts';
import { integer, oneOf, text, uuid } from './values.ts';

/** A UTC day, `YYYY-MM-DD`. Its value is days since 1970-01-01. */
export const day: Schema<number> = schemaOf(
  { type: 'string', format: 'date' },
  {
    type: 'string',
    custom: [
      (given: string) => {
        const days = utcDay(given);
        if (days === null) throw invalid([], 'must be a day, such as 2026-01-31');
        return days;
      },
    ],
  },
  { type: 'number', integer: true },
);

/** Query of GET /delivery/analytics. */
export const deliveryAnalyticsQuery = { from: required(day), to: required(day), bucketId: optional(uuid) };

const dimensionName = text(1, 32);

/** Query of GET /analytics/delivery. */
export const trafficAnalyticsQuery = {
  from: required(day),
  to: required(day),
  bucketId: optional(uuid),
  dimension: optional(dimensionName),
  groupBy: withDefault(oneOf('value', 'bucket', 'organization'), 'value' as const),
  top: withDefault(integer(1, 50), 10),
};

/** Query of GET /analytics/delivery/breakdown. */
export const breakdownQuery = {
  month: required(text(7, 7, { source: '^\\d{4}-(0[1-9]|1[0-2])$', expected: 'a month as YYYY-MM' })),
  by: withDefault(oneOf('organization', 'dimension'), 'organization' as const),
  dimension: optional(dimensionName),
  bucketId: optional(uuid),
  format: withDefault(oneOf('json', 'csv'), 'json' as const),
};

/** Body of POST /buckets/{bucketId}/analytics/preview. */
export const previewBody = object({ rule: required(dimension) });

/** Metrics of GET /usage/resources. */
export const resourceMetrics = [
  'storage_gb_days',
  'delivery_gb',
  'requests_millions',
  'upload_gb',
  'custom_domain_days',
  'encoding_minutes',
  'gateway_egress_gb',
  'gateway_write_requests_millions',
  'gateway_read_requests_millions',
] as const;

const cursor = text(1, 2000);

/** Query of GET /usage/resources. */
export const resourceUsageQuery = {
  from: optional(day),
  to: optional(day),
  metric: optional(oneOf(...resourceMetrics)),
  bucketId: optional(uuid),
  cursor: optional(cursor),
  limit: withDefault(integer(1, 5000), 500),
};

/** Query of GET /audit. */
export const auditLogQuery = {
  from: optional(day),
  to: optional(day),
  action: optional(text(1, 100)),
  resourceId: optional(text(1, 200)),
  cursor: optional(cursor),
  limit: withDefault(integer(1, 500), 100),
};

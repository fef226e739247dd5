import { Refusal, type ErrorCode } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { isUsageMetric, usageMetricNames } from '../usage-metric.ts';
import { utcDay } from '../utc-days.ts';
import { optional, required, schemaOf, withDefault, type Schema } from './schema.ts';
import { integer, text } from './values.ts';

/** A text of a query that is refused with a code of its own. @param read answers null for a text that is not valid */
function queryText<T>(
  json: JsonObject,
  code: ErrorCode,
  fault: string,
  read: (given: string) => T | null,
  checked: Schema<T>['checked'],
): Schema<T> {
  return schemaOf(
    { type: 'string', ...json },
    {
      type: 'string',
      custom: [
        (given: string) => {
          const value = read(given);
          if (value === null) throw new Refusal(code, { fields: [], detail: fault });
          return value;
        },
      ],
    },
    checked,
  );
}

/** A calendar day, `YYYY-MM-DD`, from the year 1000 on. Its value is days since 1970-01-01. */
const day = queryText(
  { format: 'date', pattern: '^[1-9]' },
  'invalid_period',
  'must be a day, such as 2026-01-31',
  // The first centuries have years that calendars of JavaScript confuse with those of the 20th.
  (given) => (given.startsWith('0') ? null : utcDay(given)),
  { type: 'number', integer: true },
);

/** A calendar month, from the year 1000 on. */
export const monthForm = /^[1-9]\d{3}-(0[1-9]|1[0-2])$/;

const month = queryText(
  { pattern: monthForm.source },
  'invalid_period',
  'must be a month, such as 2026-01',
  (given) => (monthForm.test(given) ? given : null),
  { type: 'string' },
);

/** Query of GET /usage. */
export const usageQuery = { month: optional(month), from: optional(day), to: optional(day) };

/** Query of GET /usage/daily. */
export const dailyUsageQuery = {
  from: optional(day),
  to: optional(day),
  metric: optional(
    queryText(
      { enum: [...usageMetricNames, 'monthly_minimum'] },
      'invalid_metric',
      'must be a metric of usage, such as searches',
      // The minimum is in the catalogue, and never has a day.
      (given) => (isUsageMetric(given) || given === 'monthly_minimum' ? given : null),
      { type: 'string' },
    ),
  ),
  breakdown: optional(
    queryText(
      { enum: ['organization'] },
      'invalid_breakdown',
      'must be organization',
      (given) => (given === 'organization' ? given : null),
      { type: 'string' },
    ),
  ),
};

/** Query of GET /usage/assets. */
export const usageAssetsQuery = {
  from: optional(day),
  to: optional(day),
  limit: withDefault(integer(1, 200), 50),
  offset: withDefault(integer(0), 0),
};

/** Path of the statement of a month. */
export const statementPath = {
  month: required(text(7, 7, { source: monthForm.source, expected: 'a month, such as 2026-01' })),
};

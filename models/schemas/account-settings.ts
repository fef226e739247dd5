import { invalid } from '../errors.ts';
import { currencyCode } from '../prices.ts';
import { quotaMetrics } from '../quotas.ts';
import { list, nullable, object, optional, type Shape } from './schema.ts';
import { boolean, integer, mapped, text } from './values.ts';

const instant = optional(nullable(integer(0, 8_640_000_000_000_000)));
const quota = optional(nullable(integer(0)));

const alertThresholds = mapped(list(integer(1, 1000), 5, 1), (thresholds) => {
  if (thresholds.some((each, at) => at > 0 && each <= (thresholds[at - 1] ?? 0)))
    throw invalid([], 'must ascend, such as 80,100');
  return thresholds;
});

const [mediaHours, documentMegabytes, searches, answers, indexGigabyteMonths] = quotaMetrics;

/**
 * What an operator may change of an account. Times are in milliseconds, quotas in millionths of the metric's unit; null
 * is none.
 */
export const accountSettings = {
  timeZone: optional(text(1, 100)),
  plan: optional(nullable(text(1, 40))),
  currency: optional(nullable(currencyCode)),
  serviceStartsAt: instant,
  serviceEndsAt: instant,
  payAsYouGo: optional(boolean),
  quotas: optional(
    object({
      [mediaHours]: quota,
      [documentMegabytes]: quota,
      [searches]: quota,
      [answers]: quota,
      [indexGigabyteMonths]: quota,
    }),
  ),
  alertThresholds: optional(alertThresholds),
};

/** The fields of an account that an operator may change. */
export type AccountChange = Shape<typeof accountSettings>;

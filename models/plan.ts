import { exactDecimal } from './exact-decimal.ts';
import { invalid } from './errors.ts';
import { list, object, optional, required, withDefault, type Schema } from './schemas/schema.ts';
import { mapped, text, integer, oneOf } from './schemas/values.ts';

/** The optional features of a plan. Search itself is always included. */
export const planFeatures = [
  'metadata',
  'collections',
  'suggestions',
  'related',
  'analytics',
  'tuning',
  'answers',
  'slides',
  'permissions',
  'connectors',
  'storage',
  'video',
] as const;

/** Limits of requests for each organization of the account. */
export interface PlanLimits {
  requestsPerMinute: number;
  searchRequestsPerMinute: number;
  registrationsPerMinute: number;
  storageRequestsPerMinute: number;
  /** Assets of the account that are not deleted. */
  maxAssets?: number;
  /** Buckets of the account that are not deleted. */
  buckets?: number;
  /** Custom domains of the account. */
  custom_domains?: number;
  /** Bytes of one object. */
  object_bytes?: number;
  /** Length of one video. */
  video_duration_seconds?: number;
  /** Distinct values of a breakdown of traffic, per bucket and day. */
  analytics_ceiling?: number;
}

/** Distinct values of a breakdown of traffic where a plan says nothing, and without a plan. */
const defaultAnalyticsCeiling = 100_000;

/** Distinct values of a breakdown of traffic that these limits allow. */
export function analyticsCeilingOf(limits: Pick<PlanLimits, 'analytics_ceiling'> | undefined): number {
  return limits?.analytics_ceiling ?? defaultAnalyticsCeiling;
}

/** A plan in the operator's file of plans. */
export interface Plan {
  name: string;
  /** In the order of `planFeatures`. */
  features: string[];
  /** Least that a month costs, in hundredths of the currency unit. */
  monthlyMinimum: number;
  limits: PlanLimits;
}

const perMinute = required(integer(1, 100_000_000));
const ceiling = optional(integer(0));

/** A plan's name. `none` is reserved. */
export const planName = text(1, 40, {
  source: '^(?!none$)[a-z][a-z0-9-]*$',
  expected: 'a plan name: lower-case letters, digits and -, and not none',
});

const plan: Schema<Plan> = object({
  name: required(planName),
  features: required(
    mapped(list(oneOf(...planFeatures), planFeatures.length), (features) =>
      planFeatures.filter((feature) => features.includes(feature)),
    ),
  ),
  monthlyMinimum: withDefault(exactDecimal(2, 1_000_000_000_000), 0),
  limits: required(
    object({
      requestsPerMinute: perMinute,
      searchRequestsPerMinute: perMinute,
      registrationsPerMinute: perMinute,
      storageRequestsPerMinute: perMinute,
      maxAssets: ceiling,
      buckets: ceiling,
      custom_domains: ceiling,
      object_bytes: ceiling,
      video_duration_seconds: ceiling,
      analytics_ceiling: ceiling,
    }),
  ),
});

const plans = list(plan, 100);

/** The operator's file of plans. Names are unique. */
export const plansFile: Schema<Plan[]> = mapped(
  object({ plans: required(plans) }),
  (file) => {
    const twice = file.plans.findIndex(({ name }, at) => file.plans.findIndex((other) => other.name === name) < at);
    if (twice >= 0) throw invalid(['plans', twice, 'name'], 'is used twice');
    return file.plans;
  },
  plans,
);

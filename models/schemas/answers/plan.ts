import { planFeatures, type PlanLimits } from '../../plan.ts';
import { quotaMetrics } from '../../quotas.ts';
import { annotated, answer, boolean, count, described, listOf, literals, month, orNull, text, time } from './answer.ts';

/** Answer of GET /plan. */
export const planAnswer = answer('Plan', {
  plan: orNull(text),
  enforced: annotated(boolean, { description: 'False: no plan is applied and everything is available.' }),
  features: listOf(literals(...planFeatures)),
  limits: annotated(
    described<Partial<PlanLimits>>({ type: 'object', additionalProperties: { type: 'integer', minimum: 0 } }),
    { description: 'Numeric ceilings; what is not listed has none.' },
  ),
});

const amount = described<number>({ type: 'number', minimum: 0 });

const service = { serviceActive: boolean, serviceStartsAt: orNull(time), serviceEndsAt: orNull(time) };

/** Answer of GET /usage/quotas. */
export const quotasAnswer = answer('Quotas', {
  month,
  timeZone: text,
  payAsYouGo: boolean,
  alertThresholds: listOf(count),
  metrics: listOf(
    answer('Quota', {
      metric: literals(...quotaMetrics),
      label: text,
      unit: text,
      quota: annotated(orNull(amount), { description: 'Null: unlimited.' }),
      used: amount,
      remaining: orNull(amount),
      percent: annotated(orNull(amount), { description: 'One decimal; 100 of a quota of 0.' }),
      enforced: annotated(boolean, { description: 'Whether new work is refused when the quota is used up.' }),
      alertsReached: listOf(count),
    }),
  ),
  dashboardSearches: answer('DashboardSearches', {
    allowance: orNull(amount),
    used: amount,
    remaining: orNull(amount),
    overAllowance: amount,
    unitPrice: orNull(amount),
    currency: orNull(text),
    ...service,
  }),
  ...service,
});

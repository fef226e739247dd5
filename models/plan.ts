import { invalid } from './errors.ts';
import { list, object, required, type Schema } from './schemas/schema.ts';
import { mapped, text, whole, word } from './schemas/values.ts';

/** What a plan may include; search itself is never a feature. */
export const planFeatures = ['metadata', 'collections', 'suggestions', 'related', 'analytics', 'tuning', 'answers', 'slides', 'permissions', 'connectors', 'storage', 'video'] as const;

/** Requests that a plan gives each organization of the account. */
export interface PlanLimits {
  requestsPerMinute: number;
  searchRequestsPerMinute: number;
  registrationsPerMinute: number;
  storageRequestsPerMinute: number;
}

/** A plan, as the operator's file of plans has it. */
export interface Plan {
  name: string;
  features: string[];
  limits: PlanLimits;
}

const perMinute = required(whole(1, 100_000_000));

/** A plan's own word: `none` is none. */
const planName = text(1, 40, { source: '^(?!none$)[a-z][a-z0-9-]*$', expected: 'a plan name: lower-case letters, digits and -, and not none' });

const plan: Schema<Plan> = object({
  name: required(planName),
  features: required(mapped(list(word(...planFeatures), planFeatures.length), (features) => [...new Set(features)])),
  limits: required(object({ requestsPerMinute: perMinute, searchRequestsPerMinute: perMinute, registrationsPerMinute: perMinute, storageRequestsPerMinute: perMinute })),
});

/** The operator's file of plans; each name stands in it once. */
export const plansFile: Schema<Plan[]> = mapped(object({ plans: required(list(plan, 100)) }), ({ plans }) => {
  const twice = plans.findIndex(({ name }, at) => plans.findIndex((other) => other.name === name) < at);
  if (twice >= 0) throw invalid(['plans', twice, 'name'], 'stands twice');
  return plans;
});

import { planFeatures, type PlanLimits } from '../../plan.ts';
import { annotated, answer, boolean, described, listOf, literals, orNull, text } from './answer.ts';

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

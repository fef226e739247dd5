import { route } from '../../../mixins/http/api/route.ts';
import { planAnswer } from '../../../models/schemas/answers/plan.ts';
import { contentPath } from './paths.ts';

/** The plan of an account. No plan leaves it out. */
export const planRoutes = [
  route({
    method: 'GET',
    path: `${contentPath}/plan`,
    operation: 'readPlan',
    tag: 'Usage and statements',
    summary: 'Tells which plan is applied to the account, its features and its ceilings.',
    action: 'accounts.readPlan',
    scope: 'standard',
    rate: 'requests',
    idempotency: 'none',
    params: {},
    query: {},
    body: null,
    status: 200,
    answer: planAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
];

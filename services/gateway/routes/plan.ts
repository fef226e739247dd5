import { route } from '../../../mixins/http/api/route.ts';
import { planAnswer, quotasAnswer } from '../../../models/schemas/answers/plan.ts';
import { contentPath } from './paths.ts';

const common = {
  method: 'GET',
  tag: 'Usage and statements',
  scope: 'standard',
  rate: 'requests',
  idempotency: 'none',
  params: {},
  query: {},
  body: null,
  status: 200,
  errors: [],
} as const;

/** The plan and the quotas of an account. No plan leaves them out. */
export const planRoutes = [
  route({
    ...common,
    path: `${contentPath}/plan`,
    operation: 'readPlan',
    summary: 'Tells which plan is applied to the account, its features and its ceilings.',
    action: 'accounts.readPlan',
    answer: planAnswer,
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    path: `${contentPath}/usage/quotas`,
    operation: 'readQuotas',
    summary: 'Tells how the account stands against its quotas of the month, and its allowance of dashboard searches.',
    action: 'ledger.quotas',
    answer: quotasAnswer,
    input: ({ caller }) => ({ caller }),
  }),
];

import { route } from '../../../mixins/http/api/route.ts';
import * as answers from '../../../models/schemas/answers/usage.ts';
import { dailyUsageQuery, usageAssetsQuery, usageQuery } from '../../../models/schemas/usage.ts';
import { contentPath } from './paths.ts';

const common = {
  method: 'GET',
  tag: 'Usage and statements',
  scope: 'standard',
  rate: 'requests',
  idempotency: 'none',
  params: {},
  body: null,
  status: 200,
} as const;

/** What was used, and what it costs. No plan leaves them out. */
export const usageRoutes = [
  route({
    ...common,
    path: `${contentPath}/usage`,
    operation: 'readUsage',
    summary: 'Tells what was used in a month or between two days, what is included, and what it costs.',
    action: 'ledger.usage',
    query: usageQuery,
    answer: answers.usageAnswer,
    errors: ['invalid_period'],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
  route({
    ...common,
    path: `${contentPath}/usage/daily`,
    operation: 'readDailyUsage',
    summary: 'Tells what was used on each day.',
    action: 'ledger.dailyUsage',
    query: dailyUsageQuery,
    answer: answers.dailyUsageAnswer,
    errors: ['invalid_period', 'period_too_long', 'invalid_metric', 'invalid_breakdown'],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
  route({
    ...common,
    path: `${contentPath}/usage/assets`,
    operation: 'listUsageOfAssets',
    summary: 'Tells what was done, and charged, for each file.',
    action: 'ledger.usageAssets',
    query: usageAssetsQuery,
    answer: answers.usageAssetsAnswer,
    errors: ['invalid_period'],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
];

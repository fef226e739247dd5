import { downloadRoute, route } from '../../../mixins/http/api/route.ts';
import { nothing } from '../../../models/schemas/answers/answer.ts';
import * as answers from '../../../models/schemas/answers/usage.ts';
import { dailyUsageQuery, statementPath, usageAssetsQuery, usageQuery } from '../../../models/schemas/usage.ts';
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
  route({
    ...common,
    path: `${contentPath}/statements`,
    operation: 'listStatements',
    summary: 'Lists the statements of closed months, the newest first.',
    action: 'ledger.statements',
    query: {},
    answer: answers.statementListAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    path: `${contentPath}/statements/{month}`,
    operation: 'readStatement',
    summary: 'Reads the statement of a closed month, as it was closed.',
    action: 'ledger.statement',
    params: statementPath,
    query: {},
    answer: answers.statementAnswer,
    errors: ['statement_not_found'],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
  downloadRoute({
    ...common,
    path: `${contentPath}/statements/{month}/export`,
    operation: 'exportStatement',
    summary: 'Reads the statement of a closed month as a CSV file.',
    action: 'ledger.statementFile',
    params: statementPath,
    query: {},
    answer: nothing,
    errors: ['statement_not_found'],
    input: ({ caller, path }) => ({ caller, ...path }),
    downloads: 'text/csv; charset=utf-8',
    download: ({ fileName, csv }) => {
      async function* pieces(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(csv);
      }
      return { type: 'text/csv; charset=utf-8', fileName, pieces };
    },
  }),
];

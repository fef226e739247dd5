import { relatedAnswer, writtenAnswer } from '../../../models/schemas/answers/search.ts';
import { required } from '../../../models/schemas/schema.ts';
import { searchBody } from '../../../models/schemas/search.ts';
import { passagesAnswer } from '../../../models/schemas/answers/passages.ts';
import { passagesQuery } from '../../../models/schemas/passages.ts';
import { relatedQuery } from '../../../models/schemas/library.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { route } from '../../../mixins/http/api/route.ts';
import { contentPath } from './paths.ts';

/** What is made of what a search finds: answers, and files that are like a file. */
export const answerRoutes = [
  route({
    method: 'POST',
    path: `${contentPath}/answer`,
    operation: 'answer',
    tag: 'Search',
    summary: 'Answers a question from the best passages that a search finds, with citations.',
    action: 'searcher.answer',
    scope: 'standard',
    role: 'reader',
    feature: 'answers',
    rate: 'search',
    idempotency: 'none',
    params: {},
    query: {},
    body: searchBody,
    status: 200,
    answer: writtenAnswer,
    errors: ['quota_exceeded'],
    input: ({ caller, body }) => ({ caller, request: body }),
  }),
  route({
    method: 'GET',
    path: `${contentPath}/assets/{assetId}/related`,
    operation: 'listRelated',
    tag: 'Search',
    summary: 'Lists the files that are most like a file.',
    action: 'searcher.related',
    scope: 'standard',
    feature: 'related',
    rate: 'search',
    idempotency: 'none',
    params: { assetId: required(uuid) },
    query: relatedQuery,
    body: null,
    status: 200,
    answer: relatedAnswer,
    errors: ['asset_not_found', 'quota_exceeded'],
    input: ({ caller, path, query }) => ({ caller, ...path, ...query }),
  }),
  route({
    method: 'GET',
    path: `${contentPath}/assets/{assetId}/passages`,
    operation: 'listPassages',
    tag: 'Search',
    summary:
      'Lists the passages of a file in its order, with asReader or principals only if those principals may see it.',
    action: 'searcher.listPassages',
    scope: 'standard',
    rate: 'requests',
    idempotency: 'none',
    params: { assetId: required(uuid) },
    query: passagesQuery,
    body: null,
    status: 200,
    answer: passagesAnswer,
    errors: ['asset_not_found'],
    input: ({ caller, path, query }) => ({ caller, ...path, ...query }),
  }),
];

import { route } from '../../../mixins/http/api/route.ts';
import { nothing } from '../../../models/schemas/answers/answer.ts';
import { domainAnswer, domainsAnswer } from '../../../models/schemas/answers/domains.ts';
import { domainPage, newDomain } from '../../../models/schemas/domains.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { contentPath } from './paths.ts';

const path = `${contentPath}/domains`;
const params = { domainId: required(uuid) };
const common = { tag: 'Custom domains', rate: 'storage', idempotency: 'none', query: {} } as const;

/** Hostnames of customers under which buckets are delivered. */
export const domainRoutes = [
  route({
    ...common,
    method: 'POST',
    path,
    operation: 'addDomain',
    summary: 'Adds a hostname to a bucket. Its DNS records are then looked for, for 72 hours.',
    action: 'storage.addDomain',
    scope: 'admin',
    feature: 'storage',
    idempotency: 'required',
    params: {},
    body: newDomain,
    status: 202,
    answer: domainAnswer,
    errors: [
      'hostname_not_allowed',
      'bucket_not_found',
      'bucket_not_active',
      'plan_limit_reached',
      'domain_limit_reached',
      'domain_exists',
      'domain_rate_limited',
    ],
    input: ({ caller, body }, idempotencyId) => ({ caller, id: idempotencyId ?? '', domain: body }),
  }),
  route({
    ...common,
    method: 'GET',
    path,
    operation: 'listDomains',
    summary: 'Lists the hostnames, oldest first.',
    action: 'storage.listDomains',
    scope: 'standard',
    params: {},
    query: domainPage,
    body: null,
    status: 200,
    answer: domainsAnswer,
    errors: [],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${path}/{domainId}`,
    operation: 'readDomain',
    summary: 'Reads a hostname: the records that it needs, and what the last look found.',
    action: 'storage.readDomain',
    scope: 'standard',
    params,
    body: null,
    status: 200,
    answer: domainAnswer,
    errors: ['domain_not_found'],
    input: ({ caller, path: { domainId } }) => ({ caller, domainId }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${path}/{domainId}`,
    operation: 'removeDomain',
    summary: 'Deletes a hostname. Edges may serve it for some minutes more.',
    action: 'storage.removeDomain',
    scope: 'admin',
    params,
    body: null,
    status: 204,
    answer: nothing,
    errors: ['domain_not_found'],
    input: ({ caller, path: { domainId } }) => ({ caller, domainId }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${path}/{domainId}/check`,
    operation: 'checkDomain',
    summary: 'Looks at the DNS now. A failed or detached hostname begins again, with a new TXT record.',
    action: 'storage.checkDomain',
    scope: 'standard',
    params,
    body: null,
    status: 202,
    answer: domainAnswer,
    errors: ['domain_not_found', 'bucket_not_active', 'domain_check_too_soon'],
    input: ({ caller, path: { domainId } }) => ({ caller, domainId }),
  }),
];

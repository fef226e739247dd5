import { route } from '../../../mixins/http/api/route.ts';
import * as answers from '../../../models/schemas/answers/dashboard.ts';
import { newApiKey, organizationChange, rotation } from '../../../models/schemas/dashboard.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { dashboardPath } from './paths.ts';

const path = `${dashboardPath}/api-keys`;
const params = { keyId: required(uuid) };
/** Keys of any scope are refused: these are asked with a session of the account's own organization. */
const common = {
  tag: 'API keys',
  scope: 'standard',
  role: 'admin',
  dashboardOnly: true,
  ownOrganization: true,
  rate: 'requests',
  idempotency: 'none',
  query: {},
} as const;
const organization = { ...common, tag: 'Organizations', path: `${dashboardPath}/organization`, params: {} } as const;

/** API keys, and the profile of the account's own organization. */
export const apiKeyRoutes = [
  route({
    ...common,
    method: 'GET',
    path,
    operation: 'listApiKeys',
    summary: "Lists the account's API keys in any state, newest first.",
    action: 'accounts.listApiKeys',
    params: {},
    body: null,
    status: 200,
    answer: answers.apiKeysAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'POST',
    path,
    operation: 'createApiKey',
    summary: 'Creates an API key. The answer shows it, once. Two are active at a time.',
    action: 'accounts.createApiKey',
    params: {},
    body: newApiKey,
    status: 201,
    answer: answers.newApiKeyAnswer,
    errors: ['api_key_limit_reached'],
    input: ({ caller, body }) => ({ caller, wanted: body }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${path}/{keyId}/rotate`,
    operation: 'rotateApiKey',
    summary: 'Replaces the secret of an active API key. The answer shows the new one, once.',
    action: 'accounts.rotateApiKey',
    params,
    body: rotation,
    status: 200,
    answer: answers.newApiKeyAnswer,
    errors: ['api_key_not_found', 'api_key_inactive'],
    input: ({ caller, path: { keyId }, body }) => ({ caller, keyId, rotation: body }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${path}/{keyId}/deactivate`,
    operation: 'deactivateApiKey',
    summary: 'Deactivates an API key: it is refused within a second.',
    action: 'accounts.deactivateApiKey',
    params,
    body: null,
    status: 200,
    answer: answers.apiKeyAnswer,
    errors: ['api_key_not_found'],
    input: ({ caller, path: { keyId } }) => ({ caller, keyId }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${path}/{keyId}/reactivate`,
    operation: 'reactivateApiKey',
    summary: 'Reactivates an API key.',
    action: 'accounts.reactivateApiKey',
    params,
    body: null,
    status: 200,
    answer: answers.apiKeyAnswer,
    errors: ['api_key_not_found', 'api_key_limit_reached', 'api_key_inactive'],
    input: ({ caller, path: { keyId } }) => ({ caller, keyId }),
  }),
  route({
    ...organization,
    method: 'GET',
    role: 'reader',
    operation: 'readOrganization',
    summary: "Reads the account's own organization.",
    action: 'accounts.readOrganization',
    body: null,
    status: 200,
    answer: answers.organizationAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...organization,
    method: 'PATCH',
    operation: 'changeOrganization',
    summary: "Changes the fields that are sent of the account's own organization.",
    action: 'accounts.changeOrganization',
    body: organizationChange,
    status: 200,
    answer: answers.organizationAnswer,
    errors: [],
    input: ({ caller, body }) => ({ caller, change: body }),
  }),
];

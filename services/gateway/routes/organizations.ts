import * as answers from '../../../models/schemas/answers.ts';
import { newSubOrganization, subOrganizationChange } from '../../../models/schemas/organizations.ts';
import { filled, required } from '../../../models/schemas/schema.ts';
import { lowered, text, uuid } from '../../../models/schemas/values.ts';
import { route } from '../route.ts';
import { apiRoot } from './paths.ts';

const params = { id: required(uuid) };
/** All are asked with an admin key of the account's own organization. */
const administration = { tag: 'Organizations', scope: 'admin', ownOrganization: true, rate: 'requests', idempotency: 'none' } as const;

/** Sub-organizations and the account's audit. */
export const organizationRoutes = [
  route({
    ...administration,
    method: 'GET',
    path: `${apiRoot}/sub-organizations`,
    operation: 'listSubOrganizations',
    summary: 'Lists the sub-organizations, active or not.',
    action: 'accounts.listSubOrganizations',
    params: {},
    query: {},
    body: null,
    status: 200,
    answer: answers.subOrganizationsAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...administration,
    method: 'POST',
    path: `${apiRoot}/sub-organizations`,
    operation: 'createSubOrganization',
    summary: 'Creates a sub-organization.',
    action: 'accounts.createSubOrganization',
    params: {},
    query: {},
    body: newSubOrganization,
    status: 201,
    answer: answers.subOrganizationAnswer,
    errors: [],
    input: ({ caller, body }) => ({ caller, organization: body }),
  }),
  route({
    ...administration,
    method: 'GET',
    path: `${apiRoot}/sub-organizations/{id}`,
    operation: 'readSubOrganization',
    summary: 'Reads a sub-organization.',
    action: 'accounts.readSubOrganization',
    params,
    query: {},
    body: null,
    status: 200,
    answer: answers.subOrganizationAnswer,
    errors: ['sub_organization_not_found'],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
  route({
    ...administration,
    method: 'PUT',
    path: `${apiRoot}/sub-organizations/{id}`,
    operation: 'changeSubOrganization',
    summary: 'Changes the fields that are sent; is_active true reactivates.',
    action: 'accounts.changeSubOrganization',
    params,
    query: {},
    body: subOrganizationChange,
    status: 200,
    answer: answers.subOrganizationAnswer,
    errors: ['sub_organization_not_found'],
    input: ({ caller, path, body }) => ({ caller, ...path, change: body }),
  }),
  route({
    ...administration,
    method: 'DELETE',
    path: `${apiRoot}/sub-organizations/{id}`,
    operation: 'deactivateSubOrganization',
    summary: 'Deactivates a sub-organization; deletes nothing.',
    action: 'accounts.deactivateSubOrganization',
    params,
    query: {},
    body: null,
    status: 200,
    answer: answers.deactivated,
    errors: ['sub_organization_not_found'],
    input: ({ caller, path }) => ({ caller, ...path }),
  }),
  route({
    ...administration,
    method: 'GET',
    path: `${apiRoot}/account-audit`,
    operation: 'readAccountAudit',
    summary: 'Lists what was done with keys and sub-organizations, newest first.',
    action: 'accounts.readAudit',
    params: {},
    query: { limit: filled(lowered(1, 100), 50), before: filled(text(1, 100, { source: '^[0-9]+$', expected: 'the digits of a previous `next`' }), null) },
    body: null,
    status: 200,
    answer: answers.auditAnswer,
    errors: [],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
];

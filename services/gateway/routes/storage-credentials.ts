import { route } from '../../../mixins/http/api/route.ts';
import {
  newCredentialAnswer,
  storageCredentialAnswer,
  storageCredentialsAnswer,
} from '../../../models/schemas/answers/storage-credentials.ts';
import { required } from '../../../models/schemas/schema.ts';
import { newCredential } from '../../../models/schemas/storage-credentials.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { contentPath } from './paths.ts';

const path = `${contentPath}/storage-credentials`;
const params = { credentialId: required(uuid) };
const common = {
  tag: 'Storage credentials',
  rate: 'storage',
  idempotency: 'none',
  query: {},
  dashboardOnly: true,
} as const;

/** Credentials of S3 and Blob clients, which are managed in the dashboard alone. */
export const storageCredentialRoutes = [
  route({
    ...common,
    method: 'GET',
    path,
    operation: 'listStorageCredentials',
    summary: 'Lists the credentials in any state, newest first.',
    action: 'storage.listCredentials',
    scope: 'standard',
    role: 'admin',
    params: {},
    body: null,
    status: 200,
    answer: storageCredentialsAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'POST',
    path,
    operation: 'createStorageCredential',
    summary: 'Makes a credential for S3 or Blob clients. The answer shows its secret, once.',
    action: 'storage.createCredential',
    scope: 'admin',
    feature: 'storage',
    params: {},
    body: newCredential,
    status: 201,
    answer: newCredentialAnswer,
    errors: ['storage_account_not_found', 'credential_limit_reached'],
    input: ({ caller, body }) => ({ caller, credential: body }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${path}/{credentialId}/rotate`,
    operation: 'rotateStorageCredential',
    summary: 'Makes another credential like this one, which goes on working until it is revoked.',
    action: 'storage.rotateCredential',
    scope: 'admin',
    feature: 'storage',
    params,
    body: null,
    status: 201,
    answer: newCredentialAnswer,
    errors: ['credential_not_found', 'credential_limit_reached'],
    input: ({ caller, path: { credentialId } }) => ({ caller, credentialId }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${path}/{credentialId}`,
    operation: 'revokeStorageCredential',
    summary: 'Revokes a credential. It is refused everywhere within 30 seconds.',
    action: 'storage.revokeCredential',
    scope: 'admin',
    params,
    body: null,
    status: 200,
    answer: storageCredentialAnswer,
    errors: ['credential_not_found'],
    input: ({ caller, path: { credentialId } }) => ({ caller, credentialId }),
  }),
];

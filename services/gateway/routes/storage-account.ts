import { route } from '../../../mixins/http/api/route.ts';
import { storageAccountAnswer } from '../../../models/schemas/answers/storage-account.ts';
import { newStorageAccount, storageAccountChange } from '../../../models/schemas/storage-account.ts';
import { contentPath } from './paths.ts';

const common = {
  path: `${contentPath}/storage-account`,
  tag: 'Storage account',
  rate: 'storage',
  idempotency: 'none',
  params: {},
  query: {},
  answer: storageAccountAnswer,
} as const;

/** The name under which Blob clients reach the buckets of an organization. */
export const storageAccountRoutes = [
  route({
    ...common,
    method: 'GET',
    operation: 'readStorageAccount',
    summary: 'Reads the storage account.',
    action: 'storage.readStorageAccount',
    scope: 'standard',
    body: null,
    status: 200,
    errors: ['storage_account_not_found'],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'POST',
    operation: 'createStorageAccount',
    summary: 'Creates the storage account. Its name never changes.',
    action: 'storage.createStorageAccount',
    scope: 'admin',
    feature: 'storage',
    body: newStorageAccount,
    status: 201,
    errors: ['region_not_available', 'storage_account_exists', 'storage_account_name_taken'],
    input: ({ caller, body }) => ({ caller, account: body }),
  }),
  route({
    ...common,
    method: 'PATCH',
    operation: 'changeStorageAccount',
    summary: 'Changes the home region. Without a field nothing changes.',
    action: 'storage.changeStorageAccount',
    scope: 'admin',
    feature: 'storage',
    body: storageAccountChange,
    status: 200,
    errors: ['region_not_available', 'storage_account_not_found'],
    input: ({ caller, body }) => ({ caller, change: body }),
  }),
];

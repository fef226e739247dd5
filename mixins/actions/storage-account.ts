import { caller } from '../../models/schemas/internal.ts';
import { required } from '../../models/schemas/schema.ts';
import { newStorageAccount, storageAccountChange } from '../../models/schemas/storage-account.ts';
import type { StorageAccountView } from '../../models/storage-account.ts';
import { action, type } from './action.ts';

/** Actions of the storage actor about the storage account of an organization. */
export const storageAccountActions = {
  // Run twice, the second would be refused.
  createStorageAccount: action({
    params: { caller: required(caller), account: required(newStorageAccount) },
    result: type<StorageAccountView>(),
    repeatable: false,
  }),
  readStorageAccount: action({
    params: { caller: required(caller) },
    result: type<StorageAccountView>(),
    repeatable: true,
  }),
  changeStorageAccount: action({
    params: { caller: required(caller), change: required(storageAccountChange) },
    result: type<StorageAccountView>(),
    repeatable: true,
  }),
};

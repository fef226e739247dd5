import { isDuplicate } from '../../../adapters/records/port.ts';
import type { Caller } from '../../../models/api.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import type { Region } from '../../../models/region.ts';
import type { NewStorageAccount, StorageAccountChange } from '../../../models/schemas/storage-account.ts';
import type { StorageAccount, StorageAccountView } from '../../../models/storage-account.ts';
import { tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { accountsOf, accountView, auditEntry, hostnameToFind, openHomeRegion, settleAccount } from './tools.ts';

/**
 * Creates the storage account of an organization.
 * @throws Refusal `validation_error` for the code of a region as a name, `region_not_available`,
 *   `storage_account_exists`, `storage_account_name_taken`
 */
export async function createStorageAccount(
  storage: Storage,
  caller: Caller,
  { name, homeRegion }: NewStorageAccount,
): Promise<StorageAccountView> {
  const { app, regions } = storage;
  const { organizationId } = caller;
  if (regions.some(({ code }) => code === name)) throw invalid(['body', 'name'], 'The name is the code of a region.');
  const region = openHomeRegion(storage, homeRegion);
  const now = app.runtime.now();
  const account: StorageAccount = {
    _id: organizationId,
    organizationId,
    name,
    homeRegion,
    ...dnsOf(storage, region, name),
    createdAt: now,
    updatedAt: now,
    version: 1,
    outbox: [auditEntry(app, { organizationId, name }, caller, 'storage_account.created')],
    outboxDue: app.records.time(),
  };
  const accounts = accountsOf(app, organizationId);
  if ((await accounts.get(organizationId)) !== null) throw new Refusal('storage_account_exists');
  try {
    await accounts.insert(account);
  } catch (error) {
    if (isDuplicate(error, 'name')) throw new Refusal('storage_account_name_taken');
    if (isDuplicate(error)) throw new Refusal('storage_account_exists');
    throw error;
  }
  return accountView(storage, await settleAccount(storage, account));
}

/** The account of an organization. @throws Refusal `storage_account_not_found` */
async function findAccount({ app }: Pick<Storage, 'app'>, organizationId: string): Promise<StorageAccount> {
  const account = await accountsOf(app, organizationId).get(organizationId);
  if (account === null) throw new Refusal('storage_account_not_found');
  return account;
}

/** Reads the storage account of an organization. @throws Refusal `storage_account_not_found` */
export async function readStorageAccount(storage: Storage, { organizationId }: Caller): Promise<StorageAccountView> {
  return accountView(storage, await findAccount(storage, organizationId));
}

/**
 * Changes the home region. A failed search for the hostname begins again.
 * @throws Refusal `region_not_available`, `storage_account_not_found`
 */
export async function changeStorageAccount(
  storage: Storage,
  caller: Caller,
  { homeRegion }: StorageAccountChange,
): Promise<StorageAccountView> {
  const { app } = storage;
  const { organizationId } = caller;
  const region = homeRegion === undefined ? null : openHomeRegion(storage, homeRegion);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const account = await findAccount(storage, organizationId);
    if (region === null || (region.code === account.homeRegion && account.dnsState !== 'failed'))
      return accountView(storage, account);
    const { lookAt, ...dns } = dnsOf(storage, region, account.name);
    const entry = auditEntry(app, account, caller, 'storage_account.updated', { fields: ['homeRegion'] });
    const written = await accountsOf(app, organizationId).update(
      organizationId,
      { version: account.version },
      {
        set: {
          homeRegion: region.code,
          ...dns,
          ...(lookAt === undefined ? {} : { lookAt }),
          updatedAt: Math.max(app.runtime.now(), account.updatedAt),
          outboxDue: app.records.time(),
        },
        ...(lookAt === undefined ? { unset: ['lookAt'] } : {}),
        increment: { version: 1 },
        push: { outbox: [entry] },
      },
    );
    if (written !== null) return accountView(storage, await settleAccount(storage, written));
  }
  throw tooBusy();
}

/** What is known of the hostname of an account at first: nothing is to be found where the path has the account. */
function dnsOf(
  { app }: Pick<Storage, 'app'>,
  region: Region,
  name: string,
): Pick<StorageAccount, 'dnsState' | 'pendingSince' | 'lookAt'> {
  const now = app.runtime.now();
  return hostnameToFind(region, name) === null
    ? { dnsState: 'active', pendingSince: now }
    : { dnsState: 'pending', pendingSince: now, lookAt: now };
}

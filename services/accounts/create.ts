import type { Account, Organization } from '../../models/organization.ts';
import { flushAllAudit, operatorActor } from './audit.ts';
import { namedAccounts } from './account.ts';
import type { FirstStart } from './bootstrap.ts';
import { keyRecord, newKey } from './keys.ts';
import { inCurrentMonth } from './months.ts';
import { collectionsOf, type AccountsContext } from './collections.ts';

/**
 * Creates another account with an organization of this name and two keys, which are shown only once. Its audit begins
 * with the creation of the keys. A crash can leave an account without keys, which `account erase` removes.
 */
export async function createAccount(
  app: AccountsContext,
  name: string,
): Promise<Omit<FirstStart, 'email' | 'password'>> {
  const { runtime } = app;
  const collections = collectionsOf(app);
  const [accountId, organizationId, now] = [runtime.uuid(), runtime.uuid(), runtime.now()];
  const organization: Organization = {
    _id: organizationId,
    accountId,
    parentId: null,
    name,
    contactEmail: null,
    description: null,
    isActive: true,
    metadata: null,
    createdAt: now,
    updatedAt: now,
  };
  const account: Account = { _id: accountId, organizationId, plan: null, timeZone: 'UTC', createdAt: now };
  await collections.organizations.insert(organization);
  await collections.accounts.insert(account);
  await inCurrentMonth(app, account);
  const [adminKey, standardKey] = [newKey(runtime.secret), newKey(runtime.secret)];
  await collections.keys.insertNew([
    keyRecord(
      app,
      accountId,
      adminKey,
      { scope: 'admin', label: 'First admin key', expiresAt: null },
      1,
      operatorActor,
    ),
    keyRecord(
      app,
      accountId,
      standardKey,
      { scope: 'standard', label: 'First standard key', expiresAt: null },
      2,
      operatorActor,
    ),
  ]);
  await flushAllAudit(collections);
  return { accountId, organizationId, adminKey, standardKey };
}

/** Every account with the name of its own organization, ordered by id. */
export async function listAccounts(
  app: AccountsContext,
): Promise<{ accountId: string; organizationId: string; name: string }[]> {
  const listed: { accountId: string; organizationId: string; name: string }[] = [];
  for await (const { account, name } of namedAccounts(collectionsOf(app)))
    listed.push({ accountId: account._id, organizationId: account.organizationId, name });
  return listed;
}

import type { Account, Organization } from '../../models/organization.ts';
import { settleAll, theOperator } from './audit.ts';
import type { FirstStart } from './bootstrap.ts';
import { keyRecord, newKey } from './keys.ts';
import { booksOf, type AccountsHouse } from './tools.ts';

/**
 * Makes another account, with an organization of this name and two keys, which are told this once. Its audit begins with
 * the two keys. A crash in between may leave an account without keys: `account erase` takes it away.
 */
export async function createAccount(house: AccountsHouse, name: string): Promise<FirstStart> {
  const { ambient } = house;
  const books = booksOf(house);
  const [accountId, organizationId, now] = [ambient.uuid(), ambient.uuid(), ambient.now()];
  const organization: Organization = { _id: organizationId, accountId, parentId: null, name, contactEmail: null, description: null, isActive: true, metadata: null, createdAt: now, updatedAt: now };
  const account: Account = { _id: accountId, organizationId, plan: null, timeZone: 'UTC', createdAt: now };
  await books.organizations.insert(organization);
  await books.accounts.insert(account);
  const [adminKey, standardKey] = [newKey(ambient.secret), newKey(ambient.secret)];
  await books.keys.insertNew([
    keyRecord(house, accountId, adminKey, { scope: 'admin', label: 'First admin key', expiresAt: null }, 1, theOperator),
    keyRecord(house, accountId, standardKey, { scope: 'standard', label: 'First standard key', expiresAt: null }, 2, theOperator),
  ]);
  await settleAll(books);
  return { accountId, organizationId, adminKey, standardKey };
}

/** Every account, with the name of its own organization, by their ids. */
export async function listAccounts(house: AccountsHouse): Promise<{ accountId: string; organizationId: string; name: string }[]> {
  const books = booksOf(house);
  const listed: { accountId: string; organizationId: string; name: string }[] = [];
  for (let after: string[] | null = null; ; ) {
    const page: Account[] = await books.accounts.find({ filter: {}, sort: [['_id', 1]], limit: 200, ...(after === null ? {} : { after }) });
    const own = new Map((await books.organizations.getMany(page.map(({ organizationId }) => organizationId))).map(({ _id, name }) => [_id, name]));
    listed.push(...page.map(({ _id, organizationId }) => ({ accountId: _id, organizationId, name: own.get(organizationId) ?? '' })));
    const last = page.at(-1);
    if (last === undefined || page.length < 200) return listed;
    after = [last._id];
  }
}

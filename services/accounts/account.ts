import type { Account } from '../../models/organization.ts';
import { timeZoneNamed } from '../../models/time-zone.ts';
import { booksOf, type AccountsHouse } from './tools.ts';

/** What an operator sees of an account. */
export interface AccountView {
  accountId: string;
  organizationId: string;
  plan: string | null;
  /** Features of the plan; null where no plan is applied and everything is available. */
  features: string[] | null;
  timeZone: string;
  createdAt: number;
}

/** What an operator may change of an account. */
export interface AccountChange {
  /** IANA name. */
  timeZone?: string;
}

/** The account of the deployment: the first start makes one. @throws Error before the first start */
export async function deploymentAccount(house: AccountsHouse): Promise<Account> {
  const [account] = await booksOf(house).accounts.find({ filter: {}, limit: 1 });
  if (account === undefined) throw new Error('There is no account yet: it is made at the first start.');
  return account;
}

/** The account of the deployment, as an operator sees it. @throws Error before the first start */
export async function readAccount(house: AccountsHouse): Promise<AccountView> {
  return viewOf(await deploymentAccount(house));
}

/**
 * Changes what was sent. Days and months are those of the new time zone from then on; what was counted stays in the
 * day in which it was.
 * @throws Error before the first start, and where the time zone is none
 */
export async function changeAccount(house: AccountsHouse, { timeZone }: AccountChange): Promise<AccountView> {
  const account = await deploymentAccount(house);
  if (timeZone === undefined) return viewOf(account);
  const known = timeZoneNamed(timeZone);
  if (known === null) throw new Error(`${timeZone} is no IANA time zone, such as Europe/Berlin`);
  return viewOf((await booksOf(house).accounts.update(account._id, {}, { set: { timeZone: known } })) ?? account);
}

function viewOf({ _id, organizationId, plan, features, timeZone, createdAt }: Account): AccountView {
  return { accountId: _id, organizationId, plan, features: features ?? null, timeZone, createdAt };
}

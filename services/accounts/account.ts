import type { JsonObject } from '../../models/json.ts';
import type { Account } from '../../models/organization.ts';
import type { PlanLimits } from '../../models/plan.ts';
import { timeZoneNamed } from '../../models/time-zone.ts';
import { accountNamed } from './named.ts';
import { readPlans } from './plans.ts';
import { booksOf, type AccountsHouse } from './tools.ts';

/** What an operator sees of an account. */
export interface AccountView {
  accountId: string;
  organizationId: string;
  plan: string | null;
  /** Features of the plan; null where no plan is applied and everything is available. */
  features: string[] | null;
  /** Requests a minute that the plan gives; null where no plan is applied: then those of the deployment hold. */
  limits: PlanLimits | null;
  timeZone: string;
  createdAt: number;
}

/** What an operator may change of an account. */
export interface AccountChange {
  /** IANA name. */
  timeZone?: string;
  /** Name of a plan of the operator's file; null for none, with which everything is available. */
  plan?: string | null;
}

/**
 * The account of this id or name; left out, the one that the first start made.
 * @throws Error before the first start, after that account was erased, and where there is no such account
 */
export async function accountOf(house: AccountsHouse, named?: string): Promise<Account> {
  const books = booksOf(house);
  if (named !== undefined) return accountNamed(books, named);
  const [started] = await books.firstStarts.find({ filter: {}, limit: 1 });
  if (started === undefined) throw new Error('There is no account yet: it is made at the first start.');
  const account = await books.accounts.get(started.accountId);
  if (account === null) throw new Error('The account of the first start was erased: name another one with --account; npm run ply -- account list shows them.');
  return account;
}

/** An account, as an operator sees it. @throws what `accountOf` throws */
export async function readAccount(house: AccountsHouse, named?: string): Promise<AccountView> {
  return viewOf(await accountOf(house, named));
}

/**
 * Changes what was sent. Days and months are those of the new time zone from then on; what was counted stays in the
 * day in which it was. A plan's features and limits are those of the file at this moment, and hold within a second.
 * @throws Error before the first start, and where there is no such time zone or plan
 */
export async function changeAccount(house: AccountsHouse, { timeZone, plan }: AccountChange, named?: string): Promise<AccountView> {
  const account = await accountOf(house, named);
  const set: JsonObject = {};
  if (timeZone !== undefined) set['timeZone'] = known(timeZoneNamed(timeZone), `${timeZone} is no IANA time zone, such as Europe/Berlin`);
  if (typeof plan === 'string') {
    const { name, features, limits } = known((await readPlans(house.configuration)).find((each) => each.name === plan) ?? null, `there is no plan ${plan} in the file that PLY_PLANS_FILE names`);
    Object.assign(set, { plan: name, features, limits });
  }
  if (plan === null) set['plan'] = null;
  if (Object.keys(set).length === 0) return viewOf(account);
  return viewOf((await booksOf(house).accounts.update(account._id, {}, { set, ...(plan === null ? { unset: ['features', 'limits'] } : {}) })) ?? account);
}

function known<T>(value: T | null, otherwise: string): T {
  if (value === null) throw new Error(otherwise);
  return value;
}

function viewOf({ _id, organizationId, plan, features, limits, timeZone, createdAt }: Account): AccountView {
  return { accountId: _id, organizationId, plan, features: features ?? null, limits: limits ?? null, timeZone, createdAt };
}

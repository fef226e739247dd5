import type { JsonObject } from '../../models/json.ts';
import type { Account } from '../../models/organization.ts';
import type { PlanLimits } from '../../models/plan.ts';
import { timeZoneNamed } from '../../models/time-zone.ts';
import { readPlans } from './plans.ts';
import { collectionsOf, type AccountCollections, type AccountsContext } from './collections.ts';

/** The fields of an account that an operator sees. */
export interface AccountView {
  accountId: string;
  organizationId: string;
  plan: string | null;
  /** Features of the plan; null without a plan: every feature is available. */
  features: string[] | null;
  /** The plan's limits of requests per minute; null without a plan: the deployment's limits apply. */
  limits: PlanLimits | null;
  timeZone: string;
  createdAt: number;
}

/** The fields of an account that an operator may change. */
export interface AccountChange {
  /** IANA name. */
  timeZone?: string;
  /** Name of a plan in the operator's file; null for no plan: every feature is available. */
  plan?: string | null;
}

const pageSize = 200;

/** Every account with the name of its own organization, ordered by account id. */
export async function* namedAccounts({
  accounts,
  organizations,
}: AccountCollections): AsyncGenerator<{ account: Account; name: string }> {
  for (let after: string[] | null = null; ;) {
    const page: Account[] = await accounts.find({
      filter: {},
      sort: [['_id', 1]],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    const own = await organizations.getMany(page.map(({ organizationId }) => organizationId));
    const names = new Map(own.map(({ _id, name }) => [_id, name]));
    for (const account of page) yield { account, name: names.get(account.organizationId) ?? '' };
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last._id];
  }
}

/**
 * The account with this id, or whose own organization has this name. @throws Error if there is none, or several have
 * the name
 */
export async function accountNamed(collections: AccountCollections, named: string): Promise<Account> {
  const known = await collections.accounts.get(named);
  if (known !== null) return known;
  const found: Account[] = [];
  for await (const { account, name } of namedAccounts(collections)) if (name === named) found.push(account);
  const [account, another] = found;
  if (account === undefined)
    throw new Error(`there is no account ${named}; npm run ply -- account list lists the accounts`);
  if (another !== undefined) throw new Error(`several accounts are named ${named}; use an id`);
  return account;
}

/**
 * The account with this id or name; without one, the account that the first start created.
 * @throws Error before the first start, after that account was erased, and if the account does not exist
 */
export async function accountOf(app: AccountsContext, named?: string): Promise<Account> {
  const collections = collectionsOf(app);
  if (named !== undefined) return accountNamed(collections, named);
  const [started] = await collections.firstStarts.find({ filter: {}, limit: 1 });
  if (started === undefined) throw new Error('There is no account yet: the first start of the program creates it.');
  const account = await collections.accounts.get(started.accountId);
  if (account === null)
    throw new Error(
      'The account of the first start was erased: name another one with --account; npm run ply -- account list shows them.',
    );
  return account;
}

/** An account, as an operator sees it. @throws what `accountOf` throws */
export async function readAccount(app: AccountsContext, named?: string): Promise<AccountView> {
  return viewOf(await accountOf(app, named));
}

/**
 * Changes the given fields. From then on days and months are those of the new time zone; past counts keep their day.
 * The features and limits of a plan are copied from the file now, and apply within a second.
 * @throws Error before the first start, and if the time zone or plan does not exist
 */
export async function changeAccount(
  app: AccountsContext,
  { timeZone, plan }: AccountChange,
  named?: string,
): Promise<AccountView> {
  const account = await accountOf(app, named);
  const set: JsonObject = {};
  if (timeZone !== undefined)
    set['timeZone'] = known(timeZoneNamed(timeZone), `${timeZone} is no IANA time zone, such as Europe/Berlin`);
  if (typeof plan === 'string') {
    const { name, features, limits } = known(
      (await readPlans(app.configuration)).find((each) => each.name === plan) ?? null,
      `there is no plan ${plan} in the file that PLY_PLANS_FILE names`,
    );
    Object.assign(set, { plan: name, features, limits });
  }
  if (plan === null) set['plan'] = null;
  if (Object.keys(set).length === 0) return viewOf(account);
  return viewOf(
    (await collectionsOf(app).accounts.update(
      account._id,
      {},
      { set, ...(plan === null ? { unset: ['features', 'limits'] } : {}) },
    )) ?? account,
  );
}

function known<T>(value: T | null, otherwise: string): T {
  if (value === null) throw new Error(otherwise);
  return value;
}

function viewOf({ _id, organizationId, plan, features, limits, timeZone, createdAt }: Account): AccountView {
  return {
    accountId: _id,
    organizationId,
    plan,
    features: features ?? null,
    limits: limits ?? null,
    timeZone,
    createdAt,
  };
}

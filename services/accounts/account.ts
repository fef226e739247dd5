import type { Caller } from '../../models/api.ts';
import type { JsonObject } from '../../models/json.ts';
import type { Account } from '../../models/organization.ts';
import { planFeatures, type Plan, type PlanLimits } from '../../models/plan.ts';
import { defaultAlertThresholds, type QuotaMetric } from '../../models/quotas.ts';
import type { AccountChange } from '../../models/schemas/account-settings.ts';
import type { planAnswer } from '../../models/schemas/answers/plan.ts';
import type { Infer } from '../../models/schemas/schema.ts';
import { timeZoneNamed } from '../../models/time-zone.ts';
import { choosePlan, inCurrentMonth } from './months.ts';
import { readPlans } from './plans.ts';
import { collectionsOf, type AccountCollections, type AccountsContext } from './collections.ts';

/** The fields of an account that an operator sees. */
export interface AccountView {
  accountId: string;
  organizationId: string;
  plan: string | null;
  /** The plan of the next month; absent if the plan stays. */
  nextPlan?: { name: string | null };
  /** Features of the plan; null without a plan: every feature is available. */
  features: string[] | null;
  /** The plan's ceilings and rates; null without a plan: the deployment's rates apply. */
  limits: PlanLimits | null;
  timeZone: string;
  currency: string | null;
  /** Milliseconds. */
  serviceStartsAt: number | null;
  serviceEndsAt: number | null;
  payAsYouGo: boolean;
  /** Quotas in millionths of the metric's unit. */
  quotas: { [M in QuotaMetric]?: number };
  alertThresholds: number[];
  createdAt: number;
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
 * Changes the given fields. From then on days and months are those of the new time zone; past counts keep their day. A
 * plan is applied at once if none is in force, else with the account's next month; everything else holds at once.
 * @throws Error before the first start, if the time zone or plan does not exist, and if the service would end before it
 * begins
 */
export async function changeAccount(app: AccountsContext, change: AccountChange, named?: string): Promise<AccountView> {
  const account = await accountOf(app, named);
  const plan = await planNamed(app, change.plan);
  const { set, unset } = changedFields(account, change);
  const { accounts } = collectionsOf(app);
  const changed =
    Object.keys(set).length === 0 && unset.length === 0
      ? account
      : await accounts.update(account._id, {}, { set, unset });
  const current = await inCurrentMonth(app, changed ?? account);
  return viewOf(plan === undefined ? current : await choosePlan(app, current, plan));
}

/** The plan with this name in the file; null and undefined are answered as they are. @throws Error */
async function planNamed(app: AccountsContext, name: string | null | undefined): Promise<Plan | null | undefined> {
  if (typeof name !== 'string') return name;
  return known(
    (await readPlans(app.configuration)).find((each) => each.name === name) ?? null,
    `there is no plan ${name} in the file that PLY_PLANS_FILE names`,
  );
}

function changedFields(account: Account, change: AccountChange): { set: JsonObject; unset: string[] } {
  const set: JsonObject = {};
  const unset: string[] = [];
  const { timeZone, currency, serviceStartsAt, serviceEndsAt, payAsYouGo, quotas, alertThresholds } = change;
  if (timeZone !== undefined) {
    set['timeZone'] = known(timeZoneNamed(timeZone), `${timeZone} is no IANA time zone, such as Europe/Berlin`);
    set['monthEndsAt'] = 0;
  }
  const optionalFields = {
    currency,
    serviceStartsAt,
    serviceEndsAt,
    payAsYouGo,
    alertThresholds,
    ...Object.fromEntries(Object.entries(quotas ?? {}).map(([metric, quota]) => [`quotas.${metric}`, quota])),
  };
  for (const [name, value] of Object.entries(optionalFields))
    if (value === null) unset.push(name);
    else if (value !== undefined) set[name] = value;
  const begins = serviceStartsAt === undefined ? account.serviceStartsAt : serviceStartsAt;
  const ends = serviceEndsAt === undefined ? account.serviceEndsAt : serviceEndsAt;
  if (begins !== undefined && begins !== null && ends !== undefined && ends !== null && ends <= begins)
    throw new Error('the service must end after it begins');
  return { set, unset };
}

/** The plan that is applied to the account of a caller. @throws StoreUnavailable */
export async function readPlan(
  app: AccountsContext,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<Infer<typeof planAnswer>> {
  const account = await collectionsOf(app).accounts.get(accountId);
  const { plan = null, features, limits = {} } = account ?? {};
  return {
    plan,
    enforced: plan !== null,
    features: planFeatures.filter((feature) => features?.includes(feature) ?? true),
    limits: { ...limits },
  };
}

function known<T>(value: T | null, otherwise: string): T {
  if (value === null) throw new Error(otherwise);
  return value;
}

function viewOf(account: Account): AccountView {
  const { _id, organizationId, plan, nextPlan, features, limits, timeZone, createdAt } = account;
  return {
    accountId: _id,
    organizationId,
    plan,
    ...(nextPlan === undefined ? {} : { nextPlan: { name: nextPlan.plan?.name ?? null } }),
    features: features ?? null,
    limits: limits ?? null,
    timeZone,
    currency: account.currency ?? null,
    serviceStartsAt: account.serviceStartsAt ?? null,
    serviceEndsAt: account.serviceEndsAt ?? null,
    payAsYouGo: account.payAsYouGo ?? false,
    quotas: account.quotas ?? {},
    alertThresholds: account.alertThresholds ?? [...defaultAlertThresholds],
    createdAt,
  };
}

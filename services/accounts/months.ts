import type { AppContext } from '../../mixins/app-context.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { accountMonthId, type AccountMonth } from '../../models/account-month.ts';
import type { Account } from '../../models/organization.ts';
import type { Plan } from '../../models/plan.ts';
import { pricesFor } from '../../models/prices.ts';
import { monthAfter, monthOf, startOfMonth } from '../../models/zoned-month.ts';
import { collectionsOf, type AccountsContext } from './collections.ts';
import { readPlans, readPrices } from './plans.ts';

/** The plan and the prices of a month. */
type Terms = Pick<AccountMonth, 'plan' | 'prices'>;

const roundMs = 5000;
const accountsAtOnce = 100;
/** Other processes begin the same month at most once each. */
const maxAttempts = 20;

/**
 * The account with plan, features and limits of its current month. A month that nobody has begun begins here: its plan
 * and prices are copied from the files, as are those of months that passed while no program ran. Safe to repeat, also
 * in several processes: the first copy holds.
 * @throws Error if other processes change the account all the time; errors of the store
 */
export async function inCurrentMonth(app: AccountsContext, given: Account): Promise<Account> {
  const { accounts } = collectionsOf(app);
  let account = given;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const now = app.runtime.now();
    const month = monthOf(now, account.timeZone);
    if (account.month === month && now < (account.monthEndsAt ?? 0)) return account;
    const { plan } = await begunMonth(app, account, month);
    const changed = await accounts.update(
      account._id,
      { month: account.month ?? null, monthEndsAt: account.monthEndsAt ?? null, timeZone: account.timeZone },
      {
        set: {
          month,
          monthEndsAt: startOfMonth(monthAfter(month), account.timeZone),
          plan: plan?.name ?? null,
          ...(plan === null ? {} : { features: plan.features, limits: plan.limits }),
        },
        unset: [...(account.month === month ? [] : ['nextPlan']), ...(plan === null ? ['features', 'limits'] : [])],
      },
    );
    if (changed !== null) return changed;
    const read = await accounts.get(account._id);
    if (read === null) return account;
    account = read;
  }
  throw new Error(`the month of account ${given._id} could not be begun`);
}

/** The stored terms of a month, which are stored now if they are not. */
async function begunMonth(app: AccountsContext, account: Account, month: string): Promise<AccountMonth> {
  const { months } = collectionsOf(app);
  const stored = await months.get(accountMonthId(account._id, month));
  if (stored !== null) return stored;
  const former = account.month === undefined ? null : await months.get(accountMonthId(account._id, account.month));
  const terms = await termsFor(app, account, former);
  const missing: AccountMonth[] = [];
  // A month that lies before the last one follows a change of the time zone: it is the only one.
  const first = account.month === undefined || account.month > month ? month : monthAfter(account.month);
  for (let each = first; each <= month; each = monthAfter(each)) {
    const _id = accountMonthId(account._id, each);
    missing.push({ _id, accountId: account._id, month: each, ...terms, takenAt: app.runtime.now() });
  }
  await months.insertNew(missing);
  const begun = await months.get(accountMonthId(account._id, month));
  if (begun === null) throw new Error(`the month ${month} of account ${account._id} was removed`);
  return begun;
}

/** The terms of an account's next month. A file that cannot be read now leaves those of the month before in force. */
async function termsFor(app: AccountsContext, account: Account, former: AccountMonth | null): Promise<Terms> {
  const planned = account.nextPlan === undefined ? planOf(account, former) : account.nextPlan.plan;
  try {
    return await termsOfFiles(app, planned);
  } catch (error) {
    app.log.warn({ err: error, accountId: account._id }, 'a month begins with the plan and prices of the month before');
    return { plan: planned, prices: former?.prices ?? null };
  }
}

/** The plan in force. An account of an earlier version has no month: its document has features and limits. */
function planOf({ plan: name, features, limits }: Account, former: AccountMonth | null): Plan | null {
  if (former !== null) return former.plan;
  if (name === null || features === undefined || limits === undefined) return null;
  return { name, features, monthlyMinimum: 0, limits };
}

/** A plan as its file has it now (or as it was, if the file has it no longer), with its prices. */
async function termsOfFiles({ configuration }: AccountsContext, planned: Plan | null): Promise<Terms> {
  const prices = await readPrices(configuration);
  const plan = planned === null ? null : ((await readPlans(configuration)).find(isNamed(planned.name)) ?? planned);
  return { plan, prices: prices === null ? null : pricesFor(prices, plan?.name ?? null) };
}

function isNamed(wanted: string): (plan: Plan) => boolean {
  return ({ name }) => name === wanted;
}

/**
 * Applies a plan: at once if none is in force, else with the account's next month.
 * @param account in its current month
 * @param plan null: no plan
 */
export async function choosePlan(app: AccountsContext, account: Account, plan: Plan | null): Promise<Account> {
  const { accounts, months } = collectionsOf(app);
  const inForce = { month: account.month ?? null, plan: account.plan };
  if (account.plan === (plan?.name ?? null))
    return (await accounts.update(account._id, inForce, { unset: ['nextPlan'] })) ?? account;
  if (account.plan !== null || account.month === undefined)
    return (await accounts.update(account._id, inForce, { set: { nextPlan: { plan } } })) ?? account;
  const terms = await termsOfFiles(app, plan);
  // From here on a process that begins months finishes what this one leaves undone.
  const marked = await accounts.update(account._id, inForce, { set: { monthEndsAt: 0 } });
  if (marked === null) return account;
  await months.update(
    accountMonthId(account._id, account.month),
    { 'plan.name': null },
    { set: { ...terms, takenAt: app.runtime.now() } },
  );
  return inCurrentMonth(app, marked);
}

/** Begins the months of all accounts when they are due. */
export function monthIntake(app: AccountsContext & Pick<AppContext, 'lifecycle'>): Intake {
  const { accounts } = collectionsOf(app);
  const round = async (isStopping: () => boolean): Promise<void> => {
    for (const monthEndsAt of [null, { $lte: app.runtime.now() }]) {
      for (;;) {
        const due = await accounts.find({ filter: { monthEndsAt }, limit: accountsAtOnce });
        for (const account of due) if (!isStopping()) await inCurrentMonth(app, account);
        if (due.length < accountsAtOnce || isStopping()) break;
      }
    }
  };
  return periodicIntake({
    name: 'months of accounts',
    round,
    everyMs: roundMs,
    firstMs: 0,
    failed: (err) => app.log.warn({ err }, 'months of accounts could not be begun, will retry'),
  });
}

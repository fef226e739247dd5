import type { AppContext } from '../../mixins/app-context.ts';
import { accounts, type Account } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { ledgers, type Ledger } from '../../models/statement.ts';
import { monthAfter, monthOf } from '../../models/zoned-month.ts';

type Context = Pick<AppContext, 'records'>;

/** The ledger of an account without any statement. */
function freshLedger({ _id, createdAt, timeZone }: Pick<Account, '_id' | 'createdAt' | 'timeZone'>): Ledger {
  return {
    _id,
    firstMonth: monthOf(createdAt, timeZone),
    closedThrough: null,
    cutoff: 0,
    statements: 0,
    closing: null,
    dueAt: 0,
  };
}

/** What recording has to know of an account. */
export interface KnownAccount {
  timeZone: string;
  ledger: Ledger;
  /** Whether it was erased, and its statements were kept with what they rest on. */
  isErased: boolean;
}

/**
 * The time zones and ledgers of accounts: of those that exist, and of those that were erased and left their statements, whose
 * zone is not known any more. Ledgers that are missing are made.
 */
export async function knownAccounts({ records }: Context, ids: readonly string[]): Promise<Map<string, KnownAccount>> {
  const collection = records.collection(ledgers, systemScope);
  const [found, there] = await Promise.all([
    records.collection(accounts, systemScope).getMany(ids),
    collection.getMany(ids),
  ]);
  const known = new Map(
    there.map((ledger): [string, KnownAccount] => [ledger._id, { timeZone: 'UTC', ledger, isErased: true }]),
  );
  const missing = found.filter(({ _id }) => !known.has(_id));
  const made = new Map<string, Ledger>();
  if (missing.length > 0) {
    await collection.insertNew(missing.map(freshLedger));
    for (const ledger of await collection.getMany(missing.map(({ _id }) => _id))) made.set(ledger._id, ledger);
  }
  for (const account of found) {
    const ledger = known.get(account._id)?.ledger ?? made.get(account._id) ?? freshLedger(account);
    known.set(account._id, { timeZone: account.timeZone, ledger, isErased: false });
  }
  return known;
}

/** The ledger of an account. It is made if it is missing. */
export async function ledgerOf(app: Context, account: Account): Promise<Ledger> {
  return (await knownAccounts(app, [account._id])).get(account._id)?.ledger ?? freshLedger(account);
}

/**
 * The oldest month (YYYY-MM) that is not closed: late use and corrections are charged on it, because its statement is the
 * next one.
 */
export function openMonthOf({ closedThrough, firstMonth }: Pick<Ledger, 'closedThrough' | 'firstMonth'>): string {
  return closedThrough === null ? firstMonth : monthAfter(closedThrough);
}

/** Whether use of a month is late, so that the month's statement does not rest on it: it is closed, or being closed. */
export function isLate({ closedThrough, closing }: Pick<Ledger, 'closedThrough' | 'closing'>, month: string): boolean {
  return (closedThrough !== null && month <= closedThrough) || closing?.month === month;
}

import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { accounts } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { ledgers } from '../../../models/statement.ts';
import { knownAccounts, openMonthOf } from '../state.ts';
import { closeStep, type CloseContext } from './close.ts';

const everyMs = 2000;
/** Long enough for what a start makes up for: plans of months that passed, sizes of days that passed. */
const firstMs = 10_000;
/** How often it is looked for accounts without a ledger: their first month ends much later. */
const newAccountsMs = 60_000;
const atOnce = 100;
/** How long an account whose month could not be closed is left alone. */
const afterFailureMs = 30_000;

/** Makes the ledgers of accounts for which nothing was recorded yet: their months close as well. @throws StoreUnavailable */
export async function prepareLedgers(app: Pick<AppContext, 'records'>): Promise<void> {
  const collection = app.records.collection(accounts, systemScope);
  for (let after: (string | number)[] | null = null; ;) {
    const query = { filter: {}, sort: [['_id', 1]] as const, limit: atOnce };
    const page: (string | number | null)[][] = await collection.pick(after === null ? query : { ...query, after }, [
      '_id',
    ]);
    const ids = page.map(([id]) => String(id));
    await knownAccounts(app, ids);
    const last = ids.at(-1);
    if (last === undefined || ids.length < atOnce) return;
    after = [last];
  }
}

/** The overdue months (YYYY-MM) by account, and the store time since when each is. */
export type Overdue = Map<string, { month: string; since: number }>;

/**
 * Goes one step on with the month of each account that is due. One that fails is overdue from then on, and is tried again
 * later.
 * @throws StoreUnavailable
 */
export async function closeDue(
  app: CloseContext & Pick<AppContext, 'metrics'>,
  overdue: Overdue,
  since: number,
  isStopping: () => boolean,
): Promise<void> {
  const { records, metrics, log } = app;
  const now = records.time();
  const collection = records.collection(ledgers, systemScope);
  for (let wasFull = true; wasFull && !isStopping();) {
    const due = await collection.find({
      filter: { dueAt: { $lte: now } },
      sort: [
        ['dueAt', 1],
        ['_id', 1],
      ],
      limit: atOnce,
    });
    for (const ledger of due) {
      if (isStopping()) return;
      try {
        const step = await closeStep(app, ledger, since);
        // A closing that waits for the lease of another process is under way, and may be overdue all the same. An account
        // without a month to close was erased.
        const isDone =
          step.kind === 'closed' || (step.kind === 'waits' && (ledger.closing === null || step.month === null));
        if (step.kind === 'waits' && step.dueAt < now)
          overdue.set(ledger._id, { month: openMonthOf(ledger), since: step.dueAt });
        else if (isDone) overdue.delete(ledger._id);
        if (step.kind !== 'closed') continue;
        metrics.statementsClosed.inc();
        log.info({ accountId: ledger._id, number: step.statement.number }, 'a month is closed');
      } catch (err) {
        log.warn({ err, accountId: ledger._id }, 'a month could not be closed, will retry');
        if (!overdue.has(ledger._id)) overdue.set(ledger._id, { month: openMonthOf(ledger), since: now });
        await collection.update(ledger._id, {}, { set: { dueAt: now + afterFailureMs } });
      }
    }
    wasFull = due.length === atOnce;
  }
  await forgetClosed(app, overdue);
  metrics.statementsOverdue.set(Math.max(0, ...[...overdue.values()].map((each) => now - each.since)) / 1000);
}

/** Forgets overdue months that another process closed: their ledgers are not due here again before the next month ends. */
async function forgetClosed({ records }: Pick<AppContext, 'records'>, overdue: Overdue): Promise<void> {
  const ids = [...overdue.keys()];
  for (let start = 0; start < ids.length; start += atOnce) {
    const some = ids.slice(start, start + atOnce);
    const found = await records.collection(ledgers, systemScope).getMany(some);
    const open = new Map(found.map((ledger) => [ledger._id, openMonthOf(ledger)]));
    for (const id of some) if (open.get(id) !== overdue.get(id)?.month) overdue.delete(id);
  }
}

/** Closes the months of all accounts when they are due, while the program runs. Several processes may do so. */
export function statementIntake(app: CloseContext & Pick<AppContext, 'metrics'>): Intake {
  const { records, log } = app;
  const since = records.time();
  const overdue: Overdue = new Map();
  let preparedAt = -Infinity;
  return periodicIntake({
    name: 'statements',
    everyMs,
    firstMs,
    round: async (isStopping) => {
      const now = records.time();
      if (Math.abs(now - preparedAt) > newAccountsMs) {
        await prepareLedgers(app);
        preparedAt = now;
      }
      await closeDue(app, overdue, since, isStopping);
    },
    failed: (err) => log.warn({ err }, 'months could not be closed, will retry'),
  });
}

import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { accounts } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { ledgers } from '../../../models/statement.ts';
import { knownAccounts } from '../state.ts';
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

/** Closes the months of all accounts when they are due, while the program runs. Several processes may do so. */
export function statementIntake(app: CloseContext & Pick<AppContext, 'metrics'>): Intake {
  const { records, metrics, log } = app;
  const since = records.time();
  const overdue = new Map<string, number>();
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
            if (step.kind === 'waits' && step.dueAt < now) overdue.set(ledger._id, step.dueAt);
            else if (step.kind !== 'moved') overdue.delete(ledger._id);
            if (step.kind !== 'closed') continue;
            metrics.statementsClosed.inc();
            log.info({ accountId: ledger._id, number: step.statement.number }, 'a month is closed');
          } catch (err) {
            log.warn({ err, accountId: ledger._id }, 'a month could not be closed, will retry');
            await collection.update(ledger._id, {}, { set: { dueAt: now + afterFailureMs } });
          }
        }
        wasFull = due.length === atOnce;
      }
      metrics.statementsOverdue.set(Math.max(0, ...[...overdue.values()].map((at) => now - at)) / 1000);
    },
    failed: (err) => log.warn({ err }, 'months could not be closed, will retry'),
  });
}

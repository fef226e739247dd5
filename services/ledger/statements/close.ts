import { receiveAdjustments } from '../../../mixins/accounts/adjustments.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import { keepLease } from '../../../mixins/work/lease.ts';
import { dayText } from '../../../models/calendar-day.ts';
import { claimLease, underLease, type LeaseFields } from '../../../models/lease.ts';
import { measuredDays } from '../../../models/measured-days.ts';
import { accounts, type Account } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { ledgers, type Ledger, type Statement } from '../../../models/statement.ts';
import { daysOfMonth } from '../../../models/utc-days.ts';
import { monthAfter, startOfMonth } from '../../../models/zoned-month.ts';
import { moveAllPending } from '../pending.ts';
import { finishBatches } from '../record.ts';
import { openMonthOf } from '../state.ts';
import { issueStatement } from './issue.ts';
import { statementOf } from './read.ts';

/*
 * A month is closed in steps, each of which is one conditional write, so that a crash between any two of them, and several
 * closers at once, lead to one statement:
 *
 * 1. `closing` is written to the account's ledger: the month, and a cutoff. What is recorded for the month by anybody who
 *    reads the ledger afterwards is marked as late.
 * 2. Every batch of events that is on its way into the log, and every correction that is not received yet, is finished
 *    here: those who wrote them may have read the ledger before, and be paused. From here on what the month rests on does
 *    not change.
 *    The month is computed, and the parts of its statement are written under the mark of this attempt.
 * 3. The statement is inserted. Its id and its sequence number are unique: from here on the month is closed.
 * 4. The ledger moves on to the next month. A closer that finds the statement of step 3 does only this.
 */

/** The parts of the app that closing uses. The operator's command line provides it too. */
export type CloseContext = Pick<AppContext, 'records' | 'runtime' | 'configuration' | 'log'> & { nodeId?: string };

/** A cutoff that is further ahead was written while the clock was wrong. */
const tooFarMs = 60_000;
const hourMs = 3_600_000;
/** Time zones differ by at most 26 hours, so a change of the zone moves the end of a month by at most that. */
const zonesMs = 48 * hourMs;
const lookAgainMs = 300_000;
/** How long after its grace a month waits for what must come first: sizes of its last day, the plan of the next month. */
const patienceMs = 24 * hourMs;
const waitMs = 10_000;

/** What a step did: wrote a statement, moved something else on, or found nothing to do yet. */
export type CloseStep =
  { kind: 'closed'; statement: Statement } | { kind: 'moved' } | { kind: 'waits'; month: string | null; dueAt: number };

const lease: LeaseFields<Ledger> = {
  token: 'lease.token',
  read: ({ lease: kept }) => ({ token: kept?.token ?? null, until: kept?.until ?? null }),
  write: ({ token, owner, until }) => ({
    'lease.token': token,
    'lease.owner': owner,
    'lease.until': until,
    dueAt: until,
  }),
};

/** When a month may be closed: its end in the account's time zone, and the grace for what arrives late. */
export function dueOf(
  { configuration }: Pick<CloseContext, 'configuration'>,
  { timeZone }: Pick<Account, 'timeZone'>,
  month: string,
): number {
  return startOfMonth(monthAfter(month), timeZone) + configuration.PLY_STATEMENT_GRACE_HOURS * hourMs;
}

/**
 * Does the next step towards the statement of an account's oldest open month. Safe to repeat, also in several processes.
 * @param since when this process began to look, by the time of the store @throws StoreUnavailable
 */
export async function closeStep(app: CloseContext, ledger: Ledger, since: number): Promise<CloseStep> {
  const { records } = app;
  const month = openMonthOf(ledger);
  const statement = await statementOf(app, ledger._id, month);
  if (statement !== null) return moveOn(app, ledger, statement);
  const account = await records.collection(accounts, systemScope).get(ledger._id);
  // An erased account whose statements are kept gets no more of them.
  if (account === null) return sleep(app, ledger, null, Number.MAX_SAFE_INTEGER);
  const now = records.time();
  if (ledger.closing === null) return begin(app, ledger, account, now, since);
  const { cutoff } = ledger.closing;
  if (cutoff > now + tooFarMs && cutoff > ledger.cutoff) return withdraw(app, ledger);
  return write(app, ledger, account, now);
}

async function begin(
  app: CloseContext,
  ledger: Ledger,
  account: Account,
  now: number,
  since: number,
): Promise<CloseStep> {
  const month = openMonthOf(ledger);
  const dueAt = dueOf(app, account, month);
  if (now < dueAt)
    return sleep(app, ledger, month, Math.min(dueAt, Math.max(dueAt - zonesMs, now + lookAgainMs)), dueAt);
  if (!(await isComplete(app, account, month)) && now < Math.max(dueAt, since) + patienceMs)
    return sleep(app, ledger, month, now + waitMs, dueAt);
  // What was handed over for the month, such as the sizes of its last day, is in time.
  await moveAllPending(app);
  const cutoff = Math.max(now, ledger.cutoff);
  await ledgersOf(app).update(
    ledger._id,
    { closedThrough: ledger.closedThrough, 'closing.month': null },
    { set: { closing: { month, cutoff }, dueAt: 0 } },
  );
  return { kind: 'moved' };
}

/** Whether the next month has its plan and prices, and what the account kept on the last day of the month is recorded. */
async function isComplete({ records }: CloseContext, account: Account, month: string): Promise<boolean> {
  if (account.month === undefined || account.month <= month) return false;
  const measured = await records.collection(measuredDays, systemScope).get(account._id);
  return measured === null || measured.through >= dayText(daysOfMonth(month).to);
}

/** Takes back what was begun while the clock was ahead. */
async function withdraw(app: CloseContext, { _id, closedThrough, closing }: Ledger): Promise<CloseStep> {
  const filter = { closedThrough, 'closing.cutoff': closing?.cutoff ?? null };
  await ledgersOf(app).update(_id, filter, { set: { closing: null, dueAt: 0 } });
  return { kind: 'moved' };
}

async function write(app: CloseContext, ledger: Ledger, account: Account, now: number): Promise<CloseStep> {
  const { records, configuration, log, nodeId: owner = 'command line' } = app;
  const durationMs = configuration.PLY_LEASE_SECONDS * 1000;
  const claim = claimLease(lease, ledger, { owner, now, durationMs });
  const month = openMonthOf(ledger);
  if (claim === null) return { kind: 'waits', month, dueAt: ledger.lease?.until ?? now + waitMs };
  const { closedThrough, closing } = ledger;
  const asRead = { closedThrough, 'closing.cutoff': closing?.cutoff ?? null };
  const claimed = await ledgersOf(app).update(ledger._id, { ...asRead, ...claim.filter }, { set: claim.set });
  if (claimed === null) return { kind: 'waits', month, dueAt: now + waitMs };
  const kept = keepLease({
    durationMs,
    log,
    renew: async () => {
      const until = records.time() + durationMs;
      const renewed = { set: { 'lease.until': until, dueAt: until } };
      return (
        (await ledgersOf(app).update(ledger._id, { ...asRead, ...underLease(lease, claim.lease) }, renewed)) !== null
      );
    },
  });
  try {
    await finishBatches(app);
    await receiveAdjustments(app);
    const { statement, isNew } = await issueStatement(app, claimed, account, kept.signal);
    await kept.end();
    await moveOn(app, claimed, statement);
    return isNew ? { kind: 'closed', statement } : { kind: 'moved' };
  } finally {
    await kept.end();
  }
}

async function moveOn(app: CloseContext, { _id, closedThrough }: Ledger, statement: Statement): Promise<CloseStep> {
  await ledgersOf(app).update(
    _id,
    { closedThrough },
    {
      set: {
        closedThrough: statement.month,
        cutoff: statement.before,
        statements: statement.sequence,
        closing: null,
        dueAt: 0,
        'lease.until': 0,
      },
    },
  );
  return { kind: 'moved' };
}

async function sleep(
  app: CloseContext,
  ledger: Ledger,
  month: string | null,
  until: number,
  dueAt = until,
): Promise<CloseStep> {
  const { closedThrough, dueAt: before } = ledger;
  await ledgersOf(app).update(ledger._id, { closedThrough, dueAt: before }, { set: { dueAt: until } });
  return { kind: 'waits', month, dueAt };
}

function ledgersOf({ records }: Pick<CloseContext, 'records'>): ReturnType<typeof records.collection<Ledger>> {
  return records.collection(ledgers, systemScope);
}

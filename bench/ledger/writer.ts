import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { openMongoRecords } from '../../adapters/records/mongo/records.ts';
import type { Records } from '../../adapters/records/port.ts';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import { collections } from '../../app/collections.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { accounts } from '../../models/organization.ts';
import { systemRuntime, type Runtime } from '../../models/runtime.ts';
import { systemScope } from '../../models/scope.ts';
import { ledgers } from '../../models/statement.ts';
import { usageMonths, type UsageMonth, type UsageSums } from '../../models/usage-month.ts';
import { monthAfter } from '../../models/zoned-month.ts';
import { foldRound, settleMs } from '../../services/ledger/fold.ts';
import { dailyUsage } from '../../services/ledger/reading/daily.ts';
import { readUsage } from '../../services/ledger/reading/usage.ts';
import { finishAbandoned, finishBatches, recordEvents } from '../../services/ledger/record.ts';
import { openMonthOf } from '../../services/ledger/state.ts';
import { closeStep, type CloseContext } from '../../services/ledger/statements/close.ts';
import { statementsOf, verifyStatements } from '../../services/ledger/statements/verify.ts';
import { deliveredIn, eventsOf, monthOfPhase, type Plan } from './events.ts';

/*
 * A process that records, counts and closes, as processes with the role `ledger` do. Its parent kills it at any time, and
 * starts another one that goes on a little before the place that was reported last.
 */

/** Where the records are. */
export type Store = { folder: string } | { url: string; database: string };

/** What a process is to do. */
export interface Task {
  plan: Plan;
  store: Store;
  phase: number;
  /** How many deliveries of the phase were made, and whether its month is being closed. */
  position: number;
  isClosing: boolean;
  /** When the phase began, and how far all clocks are moved, in milliseconds: every kill moves them. */
  began: number;
  skippedMs: number;
  /** Where the figures are written in the end. */
  figures: string;
}

/** What a process reports. */
export type Report =
  | { kind: 'delivered'; phase: number; position: number; events: number; milliseconds: number }
  | { kind: 'closing'; phase: number; began: number }
  | { kind: 'phase'; phase: number; began: number }
  | { kind: 'closed'; milliseconds: number }
  | { kind: 'done'; statements: number; differences: number; usage: number[]; daily: number[] };

/** Events of a batch. */
export const batchSize = 1000;
/** Batches that are recorded at once. */
export const batchesAtOnce = 4;
const reads = 40;

/** Opens the records of a store. */
export function openRecords(store: Store, runtime: Runtime): Promise<Records> {
  return 'folder' in store ? openSqliteRecords({ ...store, runtime }) : openMongoRecords({ ...store, runtime });
}

/** What the clock shows when a phase begins, or the closing of its month. The last phase is now. */
function clockOf(plan: Plan, phase: number, isClosing: boolean): number {
  const month = monthOfPhase(plan, phase);
  if (isClosing) return Date.parse(`${monthAfter(month)}-04T00:00:00Z`);
  return phase === plan.months - 1 ? Date.now() : Date.parse(`${month}-20T00:00:00Z`);
}

async function run(task: Task): Promise<void> {
  const { plan } = task;
  let base = clockOf(plan, task.phase, task.isClosing);
  let { began, skippedMs } = task;
  const runtime: Runtime = { ...systemRuntime, now: () => base + (Date.now() - began) + skippedMs };
  const records = await openRecords(task.store, runtime);
  await records.prepare(collections);
  const app: CloseContext & { metrics?: undefined } = {
    records: { ...records, time: runtime.now },
    runtime,
    configuration: readConfiguration({}),
    log: pino({ level: 'warn' }),
  };
  let isOver = false;
  const counting = (async () => {
    while (!isOver) {
      await finishAbandoned(app);
      while ((await foldRound(app)) > 0);
      await pause(1000);
    }
  })();
  const enter = (phase: number, isClosing: boolean): void => {
    base = clockOf(plan, phase, isClosing);
    began = Date.now();
    report({ kind: isClosing ? 'closing' : 'phase', phase, began });
  };
  for (let { phase, position, isClosing } = task; phase < plan.months; phase += 1) {
    if (!isClosing) await deliver(app, plan, phase, position);
    if (phase < plan.months - 1) {
      if (!isClosing) enter(phase, true);
      await close(app, plan, phase);
      enter(phase + 1, false);
    }
    [position, isClosing] = [0, false];
  }
  isOver = true;
  await counting;
  await finishBatches(app);
  // Later than everything that waits to be counted.
  skippedMs += settleMs + 1000;
  while ((await foldRound(app)) > 0);
  await writeFigures(app, task);
  await records.close();
}

async function deliver(app: CloseContext, plan: Plan, phase: number, position: number): Promise<void> {
  const order = deliveredIn(plan, phase);
  const eventOf = eventsOf(plan);
  for (let at = position; at < order.length;) {
    const batches: Uint32Array[] = [];
    for (let batch = 0; batch < batchesAtOnce && at < order.length; batch += 1, at += batchSize)
      batches.push(order.subarray(at, at + batchSize));
    const made = batches.map((batch) => Array.from(batch, (event) => eventOf(event)));
    const from = performance.now();
    await Promise.all(made.map((events) => recordEvents(app, events)));
    const milliseconds = performance.now() - from;
    const events = made.reduce((sum, { length }) => sum + length, 0);
    report({ kind: 'delivered', phase, position: Math.min(at, order.length), events, milliseconds });
  }
}

/** Closes the month of a phase for all accounts, while events of the next month arrive for one that is not counted here. */
async function close(app: CloseContext, plan: Plan, phase: number): Promise<void> {
  const month = monthOfPhase(plan, phase);
  const { records } = app;
  const sample = eventsOf(plan)(0);
  let isOver = false;
  let sent = 0;
  const load = (async () => {
    while (!isOver) {
      const events = Array.from({ length: 100 }, () => ({
        ...sample,
        _id: `load-${phase}-${app.runtime.now()}-${(sent += 1)}`,
        accountId: 'load',
      }));
      await recordEvents(app, events);
      await pause(20);
    }
  })();
  for (const { id } of plan.accounts) {
    await records
      .collection(accounts, systemScope)
      .update(id, {}, { set: { month: monthAfter(month), monthEndsAt: 0 } });
    const from = performance.now();
    for (;;) {
      const ledger = await records.collection(ledgers, systemScope).get(id);
      if (ledger === null) throw new Error(`account ${id} has no ledger`);
      if (openMonthOf(ledger) > month) break;
      const step = await closeStep(app, ledger, 0);
      if (step.kind === 'closed') report({ kind: 'closed', milliseconds: performance.now() - from });
      if (step.kind === 'waits') await pause(200);
    }
  }
  isOver = true;
  await load;
}

async function writeFigures(app: CloseContext, { plan, figures }: Task): Promise<void> {
  const lines: string[] = [];
  let [statements, differences] = [0, 0];
  for (const { id } of plan.accounts) {
    for await (const { organizationId, month, total } of rollUps(app, id))
      for (const [metric, [quantity, events]] of Object.entries(JSON.parse(total) as UsageSums))
        lines.push(
          JSON.stringify([`used ${id} ${organizationId || 'account'} ${month} ${metric}`, `${quantity} ${events}`]),
        );
    for await (const { month, sums, late } of statementsOf(app, id)) {
      for (const [own, of] of Object.entries({ ...late, [month]: sums }))
        for (const [metric, [quantity]] of Object.entries(of))
          lines.push(JSON.stringify([`charged ${id} ${month} ${own} ${metric}`, quantity]));
    }
    for await (const { differing } of verifyStatements(app, id)) {
      statements += 1;
      differences += differing;
    }
  }
  writeFileSync(figures, lines.join('\n'));
  const [first] = plan.accounts;
  if (first === undefined) throw new Error('there is no account');
  const caller = { accountId: first.id, organizationId: first.organizationId };
  const usage: number[] = [];
  const daily: number[] = [];
  const month = monthOfPhase(plan, plan.months - 1);
  const days = {
    from: Date.parse(`${month}-20T00:00:00Z`) / 86_400_000 - 399,
    to: Date.parse(`${month}-20T00:00:00Z`) / 86_400_000,
  };
  for (let read = 0; read < reads; read += 1) {
    usage.push(await timed(() => readUsage(app, caller, { month })));
    daily.push(await timed(() => dailyUsage(app, caller, days)));
  }
  report({ kind: 'done', statements, differences, usage, daily });
}

async function timed(read: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await read();
  return performance.now() - from;
}

async function* rollUps({ records }: CloseContext, accountId: string): AsyncGenerator<UsageMonth> {
  const months = records.collection(usageMonths, systemScope);
  for (let after: (string | number)[] | null = null; ;) {
    const page: UsageMonth[] = await months.find({
      filter: { accountId },
      sort: [
        ['month', 1],
        ['organizationId', 1],
      ],
      limit: 500,
      ...(after === null ? {} : { after }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < 500) return;
    after = [last.month, last.organizationId];
  }
}

function report(sent: Report): void {
  process.send?.(sent);
}

if (import.meta.main)
  process.once('message', (task) => {
    run(task as Task).then(
      () => process.disconnect(),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });

import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collections } from '../app/collections.ts';
import { accounts, organizations, type Account, type Organization } from '../models/organization.ts';
import { systemRuntime } from '../models/runtime.ts';
import { systemScope } from '../models/scope.ts';
import { ledgers } from '../models/statement.ts';
import { monthAfter, monthOf } from '../models/zoned-month.ts';
import { engineOptions } from '../scripts/setup/engine.mjs';
import { startServer } from '../test/servers/servers.ts';
import type { Figure, Part } from './figures.ts';
import { bareInserts } from './ledger/bare.ts';
import { compared } from './ledger/compare.ts';
import { monthOfPhase, uuidOf, type Plan } from './ledger/events.ts';
import { openRecords, type Report, type Store, type Task } from './ledger/writer.ts';
import { treeMemory } from './process-figures.ts';
import { startProgram } from './program.ts';
import { milliseconds, percentile } from './statistics.ts';

/*
 * Usage of 13 months of three accounts with a thousand organizations is recorded, five percent of it twice, two percent late,
 * shuffled, by a process that is killed again and again, while months are closed. The figures are compared with those of
 * an oracle that shares no code with the ledger (ledger/oracle.py).
 */

const module = join(import.meta.dirname, 'ledger/writer.ts');
const dayMs = 86_400_000;
const minRate = 20_000;
const maxUsageMs = 100;
const maxDailyMs = 200;
const maxCloseMs = 60_000;
const maxMegabytes = 600;
/** Kills while events are delivered, and phases in which the closer is killed. */
const kills = 8;
const closersKilled = [2, 5];

/** What a run of the writers measured. */
interface Measured {
  events: number;
  milliseconds: number;
  /** From the first event to the last figure. */
  wholeMs: number;
  closed: number[];
  kills: number;
  megabytes: number;
  done: Extract<Report, { kind: 'done' }>;
}

/** Recording, counting, closing and reading of usage on both record stores, under kills, compared with an oracle. */
export const part: Part = async ({ full }) => {
  // The server of the tests reads all events for each page of a range, so millions are only for a full one.
  const isFullServer = process.env['PLY_TEST_MONGO_URL'] !== undefined;
  const sizes = {
    sqlite: askedEvents() ?? (full ? 10_000_000 : 130_000),
    mongo: full && isFullServer ? 10_000_000 : 26_000,
  };
  const figures: Figure[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-ledger-'));
  try {
    figures.push(...(await embedded(folder, sizes.sqlite)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const server = await startServer('mongo');
  if ('unavailable' in server) return [...figures, skippedFigure(server.unavailable)];
  try {
    const work = mkdtempSync(join(tmpdir(), 'ply-bench-ledger-'));
    const store = { url: server.url, database: `bench-${randomUUID().slice(0, 8)}` };
    const plan = planOf(sizes.mongo, { _id: uuidOf('account 0'), organizationId: uuidOf('own 0') });
    figures.push(...(await measured('MongoDB-compatible server', plan, store, work)));
    figures.push(await bareInserts(server.url, plan));
    await rm(work, { recursive: true, force: true });
  } finally {
    await server.stop();
  }
  return figures;
};

/** The number of events of `--events=3000000`, for the embedded store; null without it. */
function askedEvents(): number | null {
  const word = process.argv.find((each) => each.startsWith('--events='));
  return word === undefined ? null : Number(word.slice('--events='.length));
}

function skippedFigure(why: string): Figure {
  return { name: 'MongoDB-compatible server', measured: `SKIPPED: ${why}`, against: '', target: '', reached: null };
}

async function embedded(folder: string, events: number): Promise<Figure[]> {
  const own = randomUUID();
  const first = await startProgram({ folder, organizationId: own });
  await first.stop();
  const records = await openRecords({ folder }, systemRuntime);
  const [account] = await records.collection(accounts, systemScope).find({ filter: {}, limit: 1 });
  await records.close();
  if (account === undefined) throw new Error('the program has no account');
  const plan = planOf(events, account);
  const figures = await measured('embedded store', plan, { folder }, folder);
  const program = await startProgram({ folder, organizationId: own });
  const http = program.clients(1);
  try {
    const month = monthOfPhase(plan, plan.months - 1);
    const to = Date.parse(`${month}-20T00:00:00Z`);
    const from = new Date(to - 399 * dayMs).toISOString().slice(0, 10);
    const reads = [
      [`GET /usage of the open month, p95`, `usage?month=${month}`, maxUsageMs],
      ['GET /usage/daily of 400 days, p95', `usage/daily?from=${from}&to=${month}-20`, maxDailyMs],
    ] as const;
    for (const [name, path, target] of reads) {
      const { times } = await http.run(100, () => ({ method: 'GET', path: `/api/content/v1/${path}` }));
      const p95 = percentile(times, 0.95);
      figures.push(figure(`embedded store: ${name}`, milliseconds(p95), `below ${target} ms`, p95 < target));
    }
    return figures;
  } finally {
    await http.close();
    await program.stop();
  }
}

function figure(name: string, value: string, target: string, reached: boolean, against = ''): Figure {
  return { name, measured: value, against, target, reached };
}

function planOf(events: number, { _id, organizationId: own }: Pick<Account, '_id' | 'organizationId'>): Plan {
  // The last month is the one that was current four days ago: the one before it can be closed.
  const last = monthOf(Date.now() - 4 * dayMs, 'UTC');
  const others = ['Asia/Kolkata', 'Europe/Berlin'].map((timeZone, at) => ({
    id: uuidOf(`account ${at + 1}`),
    timeZone,
    organizationId: uuidOf(`own ${at + 1}`),
  }));
  return {
    events,
    seed: 20_310_401,
    firstMonth: monthAfter(last, -12),
    months: 13,
    accounts: [{ id: _id, timeZone: 'UTC', organizationId: own }, ...others],
    organizationIds: Array.from({ length: 1000 }, (_, number) =>
      number === 0 ? own : (others[number - 1]?.organizationId ?? uuidOf(`organization ${number}`)),
    ),
  };
}

/** Places the accounts and their organizations, as they were before the first event. */
async function place(plan: Plan, store: Store): Promise<void> {
  const records = await openRecords(store, systemRuntime);
  await records.prepare(collections);
  const createdAt = Date.parse(`${plan.firstMonth}-01T00:00:00Z`);
  for (const { id, timeZone, organizationId: own } of plan.accounts) {
    const book = records.collection(accounts, systemScope);
    const fields = { timeZone, createdAt, month: plan.firstMonth };
    if ((await book.update(id, {}, { set: fields })) === null)
      await book.insert({ _id: id, organizationId: own, plan: null, ...fields });
    await records.collection(ledgers, systemScope).remove(id);
  }
  for (const [number, _id] of plan.organizationIds.entries()) {
    const accountId = plan.accounts[number % plan.accounts.length]?.id ?? '';
    const organization = { _id, accountId, name: `Organization ${number}`, createdAt };
    await records.collection(organizations, systemScope).insertNew([organization as Organization]);
  }
  await records.close();
}

async function measured(name: string, plan: Plan, store: Store, folder: string): Promise<Figure[]> {
  await place(plan, store);
  const figuresFile = join(folder, 'figures.jsonl');
  const run = await write(plan, store, figuresFile);
  const from = performance.now();
  const oracle = await compared(plan, folder, figuresFile);
  const times = [run.milliseconds, run.closed.reduce((sum, each) => sum + each, 0), run.wholeMs];
  const [recording = 0, closing = 0, whole = 0] = times.map((ms) => Math.round(ms / 1000));
  const compare = Math.round((performance.now() - from) / 1000);
  const rate = (run.events / run.milliseconds) * 1000;
  const longest = Math.max(...run.closed);
  const { statements, differences, usage, daily } = run.done;
  const what = `${name}, ${plan.events.toLocaleString('en')} events`;
  return [
    figure(
      `${what}, ${run.kills} kills: figures that differ from the oracle`,
      String(oracle.differing),
      '0',
      oracle.differing === 0,
      `${oracle.compared.toLocaleString('en')} figures`,
    ),
    figure(
      `${what}: differences in statements computed again`,
      String(differences),
      '0',
      differences === 0,
      `${statements} statements`,
    ),
    figure(
      `${what}: recorded in batches of 1,000, while counting`,
      `${Math.round(rate).toLocaleString('en')} events/s`,
      `at least ${minRate.toLocaleString('en')}`,
      rate >= minRate,
    ),
    figure(
      `${what}: closing a month beside load, longest of ${run.closed.length}`,
      milliseconds(longest),
      'below 60 s',
      longest < maxCloseMs,
    ),
    figure(
      `${what}: reading a month, p95, without HTTP`,
      milliseconds(percentile(usage, 0.95)),
      `below ${maxUsageMs} ms`,
      percentile(usage, 0.95) < maxUsageMs,
    ),
    figure(
      `${what}: reading 400 days, p95, without HTTP`,
      milliseconds(percentile(daily, 0.95)),
      `below ${maxDailyMs} ms`,
      percentile(daily, 0.95) < maxDailyMs,
    ),
    figure(
      `${what}: memory of the writing process`,
      `${run.megabytes.toFixed(0)} MB`,
      `below ${maxMegabytes} MB`,
      run.megabytes < maxMegabytes,
    ),
    {
      name: `${what}: time of the run`,
      measured: `${whole + compare} s`,
      against: `recording ${recording} s, closing ${closing} s, oracle ${compare} s`,
      target: '',
      reached: null,
    },
  ];
}

/** Runs writers, one after another, until everything is recorded and closed. */
async function write(plan: Plan, store: Store, figures: string): Promise<Measured> {
  const result = { events: 0, milliseconds: 0, closed: [] as number[], kills: 0, megabytes: 0 };
  const from = performance.now();
  const killAt = Array.from({ length: kills }, (_, at) => Math.round((plan.events * (at + 0.5)) / kills));
  const toKill = [...closersKilled];
  let task: Task = { plan, store, phase: 0, position: 0, isClosing: false, began: Date.now(), skippedMs: 0, figures };
  for (;;) {
    // As the program runs: its options of Node bound the garbage of each thread.
    const writer = fork(module, [], { execArgv: [...engineOptions] });
    writer.send(task);
    const ended = await followed(writer, (report) => {
      if (report.kind === 'delivered') {
        result.events += report.events;
        result.milliseconds += report.milliseconds;
        // What was reported just before the end is sent again.
        task = { ...task, position: Math.max(0, report.position - 3000) };
        result.megabytes = Math.max(result.megabytes, treeMemory(writer.pid ?? 0).own);
        if (result.events < (killAt[0] ?? Infinity)) return false;
        killAt.shift();
        return true;
      }
      if (report.kind === 'closed') result.closed.push(report.milliseconds);
      if (report.kind === 'phase' || report.kind === 'closing')
        task = {
          ...task,
          phase: report.phase,
          position: 0,
          isClosing: report.kind === 'closing',
          began: report.began,
        };
      if (report.kind !== 'closing' || toKill[0] !== report.phase) return false;
      toKill.shift();
      return 'soon';
    });
    if (ended !== null) return { ...result, wholeMs: performance.now() - from, done: ended };
    result.kills += 1;
    // The lease of a closer that was killed has run out: also where it had gone on to the closing before the kill came, and
    // the next process moves its clock to that time only then.
    task = { ...task, skippedMs: task.skippedMs + 60_000 };
  }
}

/** Follows a writer to its end, or kills it where `look` says so. Returns its last report; null if it was killed. */
function followed(writer: ChildProcess, look: (report: Report) => boolean | 'soon'): Promise<Measured['done'] | null> {
  return new Promise((resolve, reject) => {
    let done: Measured['done'] | null = null;
    let isKilled = false;
    const kill = (): void => {
      isKilled = writer.kill('SIGKILL');
    };
    writer.on('message', (message) => {
      const report = message as Report;
      if (isKilled) return;
      if (report.kind === 'done') done = report;
      const verdict = look(report);
      if (verdict === 'soon') setTimeout(kill, 150);
      else if (verdict) kill();
    });
    writer.once('exit', (code) => {
      if (done !== null || isKilled) resolve(done);
      else reject(new Error(`the writer ended with ${code}`));
    });
  });
}

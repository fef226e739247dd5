import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import type { Records } from '../../adapters/records/port.ts';
import { collections } from '../../app/collections.ts';
import { accounts } from '../../models/organization.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { systemScope } from '../../models/scope.ts';
import { ledgers } from '../../models/statement.ts';
import { monthAfter, monthOf } from '../../models/zoned-month.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { recordEvents } from '../../services/ledger/record.ts';
import { statementsOf, verifyStatements } from '../../services/ledger/statements/verify.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const months = 5;
const perMonth = 50;
const kills = 4;

let program: TestProgram;
let environment: Record<string, string>;
let ply: CommandLine;
let accountId: string;
beforeAll(async () => {
  program = await startTestProgram();
  environment = {
    PLY_DATA_DIR: join(program.folder, 'data'),
    PLY_STATEMENT_GRACE_HOURS: '0',
    PLY_LEASE_SECONDS: '2',
  };
  ply = commandLine(environment);
  await program.process.kill();
  await onRecords(async (records) => {
    await records.prepare(collections);
    const [account] = await records.collection(accounts, systemScope).find({ filter: {}, limit: 1 });
    if (account === undefined) throw new Error('there is no account');
    accountId = account._id;
    const first = monthAfter(monthOf(Date.now(), 'UTC'), -months);
    const createdAt = Date.parse(`${first}-01T00:00:00Z`);
    await records.collection(accounts, systemScope).update(accountId, {}, { set: { createdAt } });
    await records.collection(ledgers, systemScope).remove(accountId);
    for (let month = first, at = 0; at < months; month = monthAfter(month), at += 1)
      await recordEvents(
        { records, runtime: systemRuntime },
        Array.from({ length: perMonth }, (_, event) => ({
          _id: `${month}-${event}`,
          accountId,
          organizationId: account.organizationId,
          assetId: null,
          metric: 'searches',
          quantity: 1,
          at: Date.parse(`${month}-15T00:00:00Z`),
        })),
      );
  });
}, 60_000);
afterAll(() => program.end());

async function onRecords<T>(use: (records: Records) => Promise<T>): Promise<T> {
  const records = await openSqliteRecords({ folder: join(program.folder, 'data'), runtime: systemRuntime });
  try {
    return await use(records);
  } finally {
    await records.close();
  }
}

/** Begins to close months, and kills the closing with SIGKILL after some milliseconds. */
async function killedClosing(milliseconds: number): Promise<void> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLY_')));
  const closing = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'cli/ply.ts', 'statements', 'close'],
    { cwd: projectRoot, env: { ...inherited, ...environment }, stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => closing.once('exit', resolve));
  await Promise.race([pause(milliseconds), ended]);
  closing.kill('SIGKILL');
  await ended;
}

it('closing that is killed again and again closes each month once, and what it rests on stays after an erasure', async () => {
  const began = performance.now();
  expect(await ply(['statements', 'verify'])).toMatchObject({ code: 0, output: 'No month is closed yet.' });
  const commandMs = performance.now() - began;
  for (let kill = 0; kill < kills; kill += 1) {
    const milliseconds = Math.round((commandMs * randomInt(60, 140)) / 100);
    console.log(`kills the closing after ${milliseconds} ms`);
    await killedClosing(milliseconds);
  }
  expect(await ply(['statements', 'close'])).toMatchObject({ code: 0, errors: '' });
  const verified = await ply(['statements', 'verify']);
  expect([verified.code, verified.output.match(/equals its events/g)?.length]).toEqual([0, months]);
  await program.start();
  expect(await ply(['account', 'erase', '--yes', accountId, '--keep-usage'])).toMatchObject({ code: 0 });
  await until(
    () => ply(['account', 'erase', '--yes', accountId, '--keep-usage']),
    ({ output }) => output.includes('is erased'),
    60_000,
  );
  const again = await ply(['statements', 'verify']);
  expect([again.code, again.output.match(/equals its events/g)?.length]).toEqual([0, months]);
  const exported = join(program.folder, 'exported');
  expect(await ply(['statements', 'export', exported, '--account', accountId])).toMatchObject({ code: 0, errors: '' });
  expect(readdirSync(exported)).toHaveLength(2 * months + 1);
  await program.process.kill();
  await onRecords(async (records) => {
    await records.prepare(collections);
    const kept = await Array.fromAsync(statementsOf({ records }, accountId));
    expect(kept.map(({ sequence, sums }) => [sequence, sums])).toEqual(
      Array.from({ length: months }, (_, at) => [at + 1, { searches: [String(perMonth), perMonth, 0] }]),
    );
    for await (const { differences } of verifyStatements({ records }, accountId)) expect(differences).toEqual([]);
  });
}, 180_000);

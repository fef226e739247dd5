import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { canonicalJson } from '../models/canonical-json.ts';
import { object, optional, required, type Shape } from '../models/schemas/schema.ts';
import { text } from '../models/schemas/values.ts';
import { isoTime } from '../models/runtime.ts';
import { systemScope } from '../models/scope.ts';
import { ledgers } from '../models/statement.ts';
import { accountOf, namedAccounts } from '../services/accounts/account.ts';
import { collectionsOf, type AccountsContext } from '../services/accounts/collections.ts';
import { statementAnswerOf } from '../services/ledger/statements/answers.ts';
import { closeStep } from '../services/ledger/statements/close.ts';
import { statementFile } from '../services/ledger/statements/export.ts';
import { prepareLedgers } from '../services/ledger/statements/intake.ts';
import { partsOfStatement } from '../services/ledger/statements/read.ts';
import { statementsOf, verifyStatements, type Verified } from '../services/ledger/statements/verify.ts';

const pauseMs = 1000;
const longestWaitMs = 45_000;
const accountsAtOnce = 200;

const chosen = { account: optional(text(1, 200)) };

/** Input of closing and verifying: an account; all of them if none is named. */
export const operatorStatements = object(chosen);

const exported = { folder: required(text(1, 4000)), account: optional(text(1, 200)) };

/** Input of an export: the absolute folder to write to. */
export const operatorExport = object(exported);

/** What closing did for an account. */
export interface ClosedMonths {
  accountId: string;
  /** The numbers of the new statements. */
  numbers: string[];
  /** The month that is open now, and when it will be due; null for an account that was erased. */
  open: { month: string; dueAt: string; isIncomplete: boolean } | null;
}

async function accountIds(app: AccountsContext, named: string | undefined): Promise<string[]> {
  if (named !== undefined) return [(await accountOf(app, named))._id];
  const found = await Array.fromAsync(namedAccounts(collectionsOf(app)));
  return found.map(({ account }) => account._id);
}

/**
 * Closes every month that is due, without waiting for the program's own round.
 * @throws what `accountOf` throws; StoreUnavailable
 */
export async function closeAsOperator(
  app: AccountsContext,
  { account: named }: Shape<typeof chosen>,
): Promise<ClosedMonths[]> {
  await prepareLedgers(app);
  const closed: ClosedMonths[] = [];
  for (const accountId of await accountIds(app, named)) closed.push(await closeAll(app, accountId));
  return closed;
}

async function closeAll(app: AccountsContext, accountId: string): Promise<ClosedMonths> {
  const { records } = app;
  const numbers: string[] = [];
  for (let waited = 0; ;) {
    const ledger = await records.collection(ledgers, systemScope).get(accountId);
    if (ledger === null) return { accountId, numbers, open: null };
    const step = await closeStep(app, ledger, 0);
    if (step.kind === 'closed') numbers.push(step.statement.number);
    if (step.kind !== 'waits') continue;
    const { month, dueAt } = step;
    const isDue = dueAt <= records.time();
    // A month that is due may wait for the sizes of its last day, for the plan of the next month, or for another closer.
    if (month !== null && (isDue || ledger.closing !== null) && waited < longestWaitMs) {
      waited += pauseMs;
      await pause(pauseMs);
      continue;
    }
    return {
      accountId,
      numbers,
      open: month === null ? null : { month, dueAt: isoTime(dueAt), isIncomplete: isDue },
    };
  }
}

/** The account with this id, also one that was erased and whose statements are kept, or with this name. */
async function accountWithStatements(app: AccountsContext, named: string | undefined): Promise<string> {
  const kept = named === undefined ? null : await app.records.collection(ledgers, systemScope).get(named);
  return kept?._id ?? (await accountOf(app, named))._id;
}

/** Every account that has statements, or will have them, by id: also those that were erased and whose usage is kept. */
async function* accountsWithStatements({ records }: AccountsContext): AsyncGenerator<string> {
  const collection = records.collection(ledgers, systemScope);
  for (let after: string[] | null = null; ;) {
    const page = await collection.pick(
      { filter: {}, sort: [['_id', 1]], limit: accountsAtOnce, ...(after === null ? {} : { after }) },
      ['_id'],
    );
    const ids = page.map(([id]) => String(id));
    yield* ids;
    const last = ids.at(-1);
    if (last === undefined || ids.length < accountsAtOnce) return;
    after = [last];
  }
}

/** Computes statements again from their events. @throws what `accountOf` throws; StoreUnavailable */
export async function verifyAsOperator(
  app: AccountsContext,
  { account: named }: Shape<typeof chosen>,
): Promise<Verified[]> {
  const verified: Verified[] = [];
  const ids = named === undefined ? accountsWithStatements(app) : [await accountWithStatements(app, named)];
  for await (const accountId of ids) for await (const each of verifyStatements(app, accountId)) verified.push(each);
  return verified;
}

/**
 * Writes all statements of an account into a folder: of each one the CSV file, the canonical JSON that its digest is of, and
 * the digests as `sha256sum -c` reads them. @returns the numbers @throws what `accountOf` throws; Error of the folder
 */
export async function exportAsOperator(
  app: AccountsContext,
  { folder, account: named }: Shape<typeof exported>,
): Promise<{ numbers: string[] }> {
  const accountId = await accountWithStatements(app, named);
  await mkdir(folder, { recursive: true });
  const numbers: string[] = [];
  const digests: string[] = [];
  for await (const statement of statementsOf(app, accountId)) {
    const { number } = statement;
    const parts = await Array.fromAsync(partsOfStatement(app, statement));
    const seen = { statement, parts, organizationId: null };
    const { sha256 = '', ...signed } = statementAnswerOf(seen);
    const { fileName, csv } = statementFile(seen);
    await writeFile(join(folder, fileName), csv);
    await writeFile(join(folder, `${number}.json`), canonicalJson(signed));
    numbers.push(number);
    digests.push(`${sha256}  ${number}.json\n`);
  }
  await writeFile(join(folder, 'SHA256SUMS'), digests.join(''));
  return { numbers };
}

import { organizations, type Account } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import {
  statementId,
  statementParts,
  statements,
  type Ledger,
  type Statement,
  type StatementPart,
} from '../../../models/statement.ts';
import { openTerms } from '../reading/terms.ts';
import type { CloseContext } from './close.ts';
import { computeMonth, type Basis, type ComputedMonth } from './compute.ts';
import { organizationsOf, statementDocument } from './document.ts';

/** Documents that are read, written or removed at a time. */
const together = 200;

/**
 * Computes and writes the statement of the month that is being closed. Of several attempts the first one counts, and the
 * parts of the others are removed.
 * @param signal aborted when another process may have taken the month over
 * @returns the statement, and whether it is of this attempt @throws LeaseLost; StoreUnavailable
 */
export async function issueStatement(
  app: CloseContext,
  { _id: accountId, closing, cutoff: since, statements: count }: Ledger,
  account: Account,
  signal: AbortSignal,
): Promise<{ statement: Statement; isNew: boolean }> {
  if (closing === null) throw new Error('no month is being closed');
  const { records, runtime } = app;
  const { month, cutoff: before } = closing;
  const customer = (await namesOf(app, [account.organizationId])).get(account.organizationId) ?? '';
  const terms = { ...(await openTerms(app, account, month)), customer };
  const basis: Basis = { accountId, month, terms, since, before };
  const use = await computeMonth(app, basis);
  signal.throwIfAborted();
  const issue = {
    sequence: count + 1,
    attempt: runtime.uuid(),
    closedAt: records.time(),
    names: await namesOfUse(app, use),
  };
  const { statement, parts } = statementDocument(basis, use, issue);
  await writeParts(app, parts, signal);
  const book = records.collection(statements, systemScope);
  const isNew = (await book.insertNew([statement])).length > 0;
  const stored = isNew ? statement : await book.get(statementId(accountId, month));
  if (stored === null) throw new Error(`another statement of account ${accountId} has the number ${statement.number}`);
  await removeOtherParts(app, stored);
  return { statement: stored, isNew };
}

async function writeParts(
  { records }: CloseContext,
  parts: readonly StatementPart[],
  signal: AbortSignal,
): Promise<void> {
  const collection = records.collection(statementParts, systemScope);
  for (let start = 0; start < parts.length; start += together) {
    signal.throwIfAborted();
    await collection.insertNew(parts.slice(start, start + together));
  }
}

/** Removes the parts of attempts that came to nothing. */
export async function removeOtherParts(
  { records }: Pick<CloseContext, 'records'>,
  { accountId, month, attempt }: Pick<Statement, 'accountId' | 'month' | 'attempt'>,
): Promise<void> {
  const parts = records.collection(statementParts, systemScope);
  while ((await parts.removeMany({ accountId, month, attempt: { $ne: attempt } }, together)) === together);
}

function namesOfUse(app: CloseContext, use: ComputedMonth): Promise<Map<string, string>> {
  return namesOf(app, organizationsOf(use));
}

/** Names of organizations, as texts of whole characters: others have no canonical form. */
async function namesOf({ records }: CloseContext, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const collection = records.collection(organizations, systemScope);
  for (let start = 0; start < ids.length; start += together)
    for (const { _id, name } of await collection.getMany(ids.slice(start, start + together)))
      names.set(_id, name.toWellFormed());
  return names;
}

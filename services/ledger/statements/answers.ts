import type { AppContext } from '../../../mixins/app-context.ts';
import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import type { statementListAnswer } from '../../../models/schemas/answers/usage.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import { isoTime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import {
  statementParts,
  statements,
  type OrganizationUsage,
  type Statement,
  type StatementPart,
} from '../../../models/statement.ts';
import { organizationContent } from '../account-answer.ts';
import { viewOf, type View } from '../reading/account.ts';
import { withoutDigest, type StatementAnswer } from './document.ts';
import { partId, partOf, partsOfStatement, statementOf } from './read.ts';

type Context = Pick<AppContext, 'records'>;
type Asking = Pick<Caller, 'accountId' | 'organizationId'>;

/** Statements that are read at a time. */
const pageSize = 200;

/**
 * The closed months, the newest first: of the account with its totals, or of a sub-organization with its subtotals.
 * @throws StoreUnavailable
 */
export async function listStatements(app: Context, caller: Asking): Promise<Infer<typeof statementListAnswer>> {
  const { account, organizationId } = await viewOf(app, caller);
  const collection = app.records.collection(statements, systemScope);
  const items: Infer<typeof statementListAnswer>['items'] = [];
  for (let after: (string | number)[] | null = null; ;) {
    const page = await collection.pick(
      {
        filter: { accountId: account._id },
        sort: [['sequence', -1]],
        limit: pageSize,
        ...(after === null ? {} : { after }),
      },
      ['sequence', 'number', 'month', 'content.currency', 'content.total', 'closedAt', 'attempt'],
    );
    const rows = page.map(([, number, month, currency, total, closedAt, attempt]) => ({
      statementNumber: String(number),
      month: String(month),
      currency: currency === null || currency === undefined ? null : String(currency),
      total: total === null || total === undefined ? null : Number(total),
      closedAt: isoTime(Number(closedAt)),
      attempt: String(attempt),
    }));
    const subtotals = organizationId === null ? null : await subtotalsOf(app, account._id, organizationId, rows);
    for (const { attempt: _, ...row } of rows)
      items.push(
        // Where nothing was priced the account has no total; else an organization without use has cost nothing.
        subtotals === null
          ? row
          : { ...row, total: null, subtotal: row.total === null ? null : (subtotals.get(row.month) ?? 0) },
      );
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return { items };
    after = [Number(last[0])];
  }
}

async function subtotalsOf(
  { records }: Context,
  accountId: string,
  organizationId: string,
  rows: readonly Pick<Statement, 'month' | 'attempt'>[],
): Promise<Map<string, number | null>> {
  const ids = rows.map(({ month, attempt }) => partId({ accountId, month, attempt }, organizationId));
  const parts = await records.collection(statementParts, systemScope).getMany(ids);
  return new Map(parts.flatMap(({ month, inAccount }) => (inAccount === null ? [] : [[month, inAccount.listAmount]])));
}

/** A statement with what it says of the organizations that the caller may see. */
export interface SeenStatement {
  statement: Statement;
  /** Those of the account, by id; of a sub-organization's view its own one, if it used anything. */
  parts: StatementPart[];
  /** Null: the whole account. */
  organizationId: string | null;
}

/** The statement of a month. @throws Refusal `statement_not_found`; StoreUnavailable */
export async function seenStatement(app: Context, caller: Asking, month: string): Promise<SeenStatement> {
  const { account, organizationId }: View = await viewOf(app, caller);
  const statement = await statementOf(app, account._id, month);
  if (statement === null) throw new Refusal('statement_not_found');
  if (organizationId === null)
    return { statement, parts: await Array.fromAsync(partsOfStatement(app, statement)), organizationId };
  const part = await partOf(app, statement, organizationId);
  return { statement, parts: part === null ? [] : [part], organizationId };
}

/** Answers a statement as it was closed. */
export async function readStatement(app: Context, caller: Asking, month: string): Promise<StatementAnswer> {
  return statementAnswerOf(await seenStatement(app, caller, month));
}

/** What GET /statements/{month} answers. */
export function statementAnswerOf({ statement, parts, organizationId }: SeenStatement): StatementAnswer {
  const { month, terms, number, sha256 } = statement;
  if (organizationId !== null) {
    const content = organizationContent({ month, terms }, parts[0]?.own ?? [], number);
    return withoutDigest({ ...statement, content }, [], new Map());
  }
  const names = new Map(parts.map((part) => [part.organizationId, part.name]));
  return { ...withoutDigest(statement, entriesOf(parts), names), sha256 };
}

/** The organizations of a statement, as its account's answer shows them. */
export function entriesOf(parts: readonly StatementPart[]): OrganizationUsage[] {
  return parts.flatMap(({ inAccount }) => (inAccount === null ? [] : [inAccount]));
}

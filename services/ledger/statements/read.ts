import type { AppContext } from '../../../mixins/app-context.ts';
import { systemScope } from '../../../models/scope.ts';
import {
  statementId,
  statementParts,
  statements,
  type Statement,
  type StatementPart,
} from '../../../models/statement.ts';

type Context = Pick<AppContext, 'records'>;

const pageSize = 200;

/** The statement of a month (YYYY-MM); null while it is open. @throws StoreUnavailable */
export function statementOf({ records }: Context, accountId: string, month: string): Promise<Statement | null> {
  return records.collection(statements, systemScope).get(statementId(accountId, month));
}

/** The id of what a statement says of one organization. */
export function partId(
  { accountId, month, attempt }: Pick<Statement, 'accountId' | 'month' | 'attempt'>,
  organizationId: string,
): string {
  return `${accountId}:${month}:${attempt}:${organizationId}`;
}

/** What a statement says of one organization; null if it used nothing. */
export function partOf(
  { records }: Context,
  statement: Pick<Statement, 'accountId' | 'month' | 'attempt'>,
  organizationId: string,
): Promise<StatementPart | null> {
  return records.collection(statementParts, systemScope).get(partId(statement, organizationId));
}

/** What a statement says of each organization, by id. */
export async function* partsOfStatement(
  { records }: Context,
  { accountId, month, attempt }: Pick<Statement, 'accountId' | 'month' | 'attempt'>,
): AsyncGenerator<StatementPart> {
  const parts = records.collection(statementParts, systemScope);
  for (let after: (string | number)[] | null = null; ;) {
    const page: StatementPart[] = await parts.find({
      filter: { accountId, month, attempt },
      sort: [['organizationId', 1]],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last.organizationId];
  }
}

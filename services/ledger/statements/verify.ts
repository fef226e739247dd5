import type { AppContext } from '../../../mixins/app-context.ts';
import { canonicalJson, sha256Of } from '../../../models/canonical-json.ts';
import { isObject } from '../../../models/schemas/schema.ts';
import { systemScope } from '../../../models/scope.ts';
import { ledgers, statements, type Statement, type StatementPart } from '../../../models/statement.ts';
import { monthAfter } from '../../../models/zoned-month.ts';
import { entriesOf } from './answers.ts';
import { computeMonth } from './compute.ts';
import { statementDocument, withoutDigest } from './document.ts';
import { partsOfStatement } from './read.ts';

type Context = Pick<AppContext, 'records'>;

const pageSize = 50;
/** Differences that are named of one statement; the rest is only counted. */
const maxNamed = 20;

/** A figure of a statement that is not what its events say. */
export interface Difference {
  /** Where it stands, such as `statement.content.total`. */
  path: string;
  /** As JSON; null where one side has nothing. */
  stored: string | null;
  computed: string | null;
}

/** What computing a statement again found. */
export interface Verified {
  accountId: string;
  month: string;
  number: string;
  differences: Difference[];
  /** How many there are, also those that are not named. */
  differing: number;
}

/** The statements of an account, the oldest first. @throws StoreUnavailable */
export async function* statementsOf({ records }: Context, accountId: string): AsyncGenerator<Statement> {
  const collection = records.collection(statements, systemScope);
  for (let after: (string | number)[] | null = null; ;) {
    const page: Statement[] = await collection.find({
      filter: { accountId },
      sort: [['sequence', 1]],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last.sequence];
  }
}

/**
 * Computes each statement of an account again from its events, corrections and stored terms, and names what differs. Also
 * checks that numbers and months go on without a gap, and that each month is charged from where the one before ended.
 * @throws StoreUnavailable
 */
export async function* verifyStatements(app: Context, accountId: string): AsyncGenerator<Verified> {
  const ledger = await app.records.collection(ledgers, systemScope).get(accountId);
  let [sequence, month, since] = [1, ledger?.firstMonth, 0];
  for await (const statement of statementsOf(app, accountId)) {
    const wanted = { sequence, month: month ?? statement.month, since };
    const found = [...gaps(statement, wanted), ...(await differencesOf(app, statement))];
    yield {
      accountId,
      month: statement.month,
      number: statement.number,
      differences: found.slice(0, maxNamed),
      differing: found.length,
    };
    [sequence, month, since] = [statement.sequence + 1, monthAfter(statement.month), statement.before];
  }
}

function gaps(statement: Statement, wanted: { sequence: number; month: string; since: number }): Difference[] {
  const { sequence, month, since } = statement;
  return differences('statement', { sequence, month, since }, wanted);
}

async function differencesOf(app: Context, statement: Statement): Promise<Difference[]> {
  const parts = await Array.fromAsync(partsOfStatement(app, statement));
  const names = new Map(parts.map(({ organizationId, name }) => [organizationId, name]));
  const digest = sha256Of(canonicalJson(withoutDigest(statement, entriesOf(parts), names)));
  const computed = statementDocument(statement, await computeMonth(app, statement), { ...statement, names });
  return [
    ...differences('digest of the answer', statement.sha256, digest),
    ...differences('statement', statement, computed.statement),
    ...differences('organizations', byOrganization(parts), byOrganization(computed.parts)),
  ];
}

function byOrganization(parts: readonly StatementPart[]): { [organizationId: string]: StatementPart } {
  return Object.fromEntries(parts.map((part) => [part.organizationId, part]));
}

/** Where two JSON values differ. */
export function differences(path: string, stored: unknown, computed: unknown): Difference[] {
  if (Array.isArray(stored) && Array.isArray(computed))
    return Array.from({ length: Math.max(stored.length, computed.length) }).flatMap((_, at) =>
      differences(`${path}[${at}]`, stored[at], computed[at]),
    );
  if (isObject(stored) && isObject(computed))
    return [...new Set([...Object.keys(stored), ...Object.keys(computed)])].flatMap((name) =>
      differences(`${path}.${name}`, stored[name], computed[name]),
    );
  const [before, now] = [jsonOf(stored), jsonOf(computed)];
  return before === now ? [] : [{ path, stored: before, computed: now }];
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : canonicalJson(value);
}

import type { DatabaseSync } from 'node:sqlite';
import type { JsonObject } from '../../../models/json.ts';
import { applyChange, type JsonChange } from '../change.ts';
import type { Answer, WriteRequest } from './messages.ts';
import type { FragmentTables } from './fragment-tables.ts';
import { boundLimit, extracted } from './sql.ts';
import type { Statements } from './statements.ts';
import type { Tables } from './tables.ts';
import { valueAt } from '../paths.ts';
import { ownerField } from '../scoping.ts';

/**
 * Result codes of SQLite for failures of the file or the disk, not of the statement: https://sqlite.org/rescode.html
 */
const storeFailures = new Set([5, 6, 7, 8, 10, 11, 13, 14, 23, 26]);

/**
 * Runs requests in one transaction, so that a single flush to the disk makes all of them durable. A request that
 * fails leaves the others alone: each is one statement, or runs in a savepoint of its own.
 * @returns an answer for each request; the transaction is on the disk by then
 */
export function runBatch(
  database: DatabaseSync,
  statements: Statements,
  { tables, fragments }: { tables: Tables; fragments: FragmentTables },
  requests: readonly WriteRequest[],
): Answer[] {
  try {
    statements.of('BEGIN IMMEDIATE').run();
    const answers = requests.map((request) => answerOf(database, statements, tables, request));
    if (database.isTransaction) fragments.flush();
    if (!database.isTransaction) throw new Error('the store rolled the transaction back');
    statements.of('COMMIT').run();
    return answers;
  } catch (error) {
    if (database.isTransaction) statements.of('ROLLBACK').run();
    return requests.map(() => ({ failure: 'store', message: messageOf(error) }));
  }
}

function answerOf(database: DatabaseSync, statements: Statements, tables: Tables, request: WriteRequest): Answer {
  try {
    return { value: run(statements, tables, request) };
  } catch (error) {
    const message = messageOf(error);
    const duplicate = duplicateIndex(database, message);
    if (duplicate !== null) return { failure: 'duplicate', message: duplicate };
    if (isStoreFailure(error)) throw error;
    return { failure: 'error', message };
  }
}

function run(
  statements: Statements,
  tables: Tables,
  request: WriteRequest,
): string | number | boolean | null | string[] {
  switch (request.kind) {
    case 'insert':
      statements.of(tables.insertion(request.table)).run(request.id, request.doc);
      return null;
    case 'insertNew':
      // A single statement is atomic.
      return request.ids.length === 1
        ? insertNew(statements, tables, request)
        : inSavepoint(statements, () => insertNew(statements, tables, request));
    case 'update':
      return update(statements, tables, request);
    case 'put': {
      const guard = request.owner === null ? '' : ` WHERE ${extracted(ownerField, `${request.table}.doc`)} = ?3`;
      const owner = request.owner === null ? [] : [request.owner];
      const { changes } = statements
        .of(
          `${tables.insertion(request.table)} ON CONFLICT (_id) DO UPDATE SET ${tables.replacement(request.table)}${guard}`,
        )
        .run(request.id, request.doc, ...owner);
      if (changes === 0) throw new Error(`UNIQUE constraint failed: ${request.table}._id`);
      return null;
    }
    case 'remove':
      return (
        statements
          .of(`DELETE FROM ${request.table} WHERE _id = ? AND ${request.where}`)
          .run(request.id, ...request.values).changes > 0
      );
    case 'removeMany':
      return Number(
        statements
          .of(
            `DELETE FROM ${request.table} WHERE rowid IN (SELECT rowid FROM ${request.table} WHERE ${request.where} LIMIT ${boundLimit})`,
          )
          .run(...request.values, request.limit).changes,
      );
    case 'purge':
      return null;
    case 'prepare':
      return inSavepoint(statements, () => {
        tables.prepare(request);
        return null;
      });
  }
}

function update(
  statements: Statements,
  tables: Tables,
  request: WriteRequest & { kind: 'update' },
): string | true | null {
  const { table } = request;
  const row = statements
    .of(`SELECT rowid, doc FROM ${table} WHERE _id = ? AND ${request.where}`)
    .get(request.id, ...request.values);
  if (row === undefined) return null;
  const document = JSON.parse(String(row['doc'])) as JsonObject;
  const change = JSON.parse(request.change) as JsonChange;
  const before = new Map(tables.touched(table, change).map((path) => [path, valueAt(document, path)]));
  applyChange(document, change);
  const doc = JSON.stringify(document);
  const { text, values } = tables.assignments(table, change, before, document, 2);
  statements.of(`UPDATE ${table} SET ${text} WHERE rowid = ?2`).run(doc, Number(row['rowid']), ...values);
  return request.isWanted ? doc : true;
}

function insertNew(statements: Statements, tables: Tables, request: WriteRequest & { kind: 'insertNew' }): string[] {
  const insert = statements.of(`${tables.insertion(request.table)} ON CONFLICT DO NOTHING`);
  return request.ids.filter((id, index) => insert.run(id, request.docs[index] ?? '').changes > 0);
}

function inSavepoint<T>(statements: Statements, work: () => T): T {
  statements.of('SAVEPOINT one').run();
  try {
    const result = work();
    statements.of('RELEASE one').run();
    return result;
  } catch (error) {
    statements.of('ROLLBACK TO one').run();
    statements.of('RELEASE one').run();
    throw error;
  }
}

/**
 * The index that a message of a violated constraint names by its columns (`table.column, table.column`); null for other
 * messages.
 */
function duplicateIndex(database: DatabaseSync, message: string): string | null {
  const found = /^UNIQUE constraint failed: "?([a-z0-9_]+)"?\.(.*)$/.exec(message);
  const [, table, rest] = found ?? [];
  if (table === undefined || rest === undefined) return null;
  if (rest === '_id') return '_id';
  const columns = rest.split(`, ${table}.`).join();
  const unique = database
    .prepare('SELECT name FROM pragma_index_list(?) WHERE "unique" AND origin = \'c\'')
    .all(table)
    .map((row) => String(row['name']));
  const name = unique.find(
    (index) =>
      database
        .prepare('SELECT name FROM pragma_index_info(?)')
        .all(index)
        .map((row) => String(row['name']))
        .join() === columns,
  );
  // An index that could not be created has no name in the file.
  return name === undefined ? columns : name.slice(table.length + 1);
}

function isStoreFailure(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    storeFailures.has(error.errcode & 0xff)
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

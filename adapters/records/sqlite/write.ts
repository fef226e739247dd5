import type { DatabaseSync } from 'node:sqlite';
import type { JsonObject } from '../../../models/json.ts';
import { applyChange, type JsonChange } from '../change.ts';
import type { Answer, WriteRequest } from './messages.ts';
import { fieldExpression } from './sql.ts';
import type { Statements } from './statements.ts';
import { ownerField } from '../scoping.ts';

/** Result codes of SQLite that say the file or the disk failed, not the statement: https://sqlite.org/rescode.html */
const storeFailures = new Set([5, 6, 7, 8, 10, 11, 13, 14, 23, 26]);

/**
 * Runs requests in one transaction, so that a single flush to the disk makes all of them durable. A request that
 * fails leaves the others alone: each is one statement, or stands in a savepoint of its own.
 * @returns an answer for each request, to be told only now that the transaction is on the disk.
 */
export function runTogether(database: DatabaseSync, statements: Statements, requests: readonly WriteRequest[]): Answer[] {
  try {
    statements.of('BEGIN IMMEDIATE').run();
    const answers = requests.map((request) => answerOf(database, statements, request));
    if (!database.isTransaction) throw new Error('the store gave the transaction up');
    statements.of('COMMIT').run();
    return answers;
  } catch (error) {
    if (database.isTransaction) statements.of('ROLLBACK').run();
    return requests.map(() => ({ failure: 'store', message: messageOf(error) }));
  }
}

function answerOf(database: DatabaseSync, statements: Statements, request: WriteRequest): Answer {
  try {
    return { value: run(database, statements, request) };
  } catch (error) {
    const message = messageOf(error);
    const duplicate = duplicateIndex(message);
    if (duplicate !== null) return { failure: 'duplicate', message: duplicate };
    if (isStoreFailure(error)) throw error;
    return { failure: 'error', message };
  }
}

function run(database: DatabaseSync, statements: Statements, request: WriteRequest): string | number | boolean | null | string[] {
  switch (request.kind) {
    case 'insert':
      statements.of(`INSERT INTO ${request.table} (_id, doc) VALUES (?, ?)`).run(request.id, request.doc);
      return null;
    case 'insertNew':
      return inSavepoint(statements, () => insertNew(statements, request));
    case 'update': {
      const row = statements.of(`SELECT doc FROM ${request.table} WHERE _id = ? AND ${request.where}`).get(request.id, ...request.values);
      if (row === undefined) return null;
      const document = JSON.parse(String(row['doc'])) as JsonObject;
      const change = JSON.parse(request.change) as JsonChange;
      applyChange(document, change);
      const doc = JSON.stringify(document);
      statements.of(`UPDATE ${request.table} SET doc = ? WHERE _id = ?`).run(doc, request.id);
      return doc;
    }
    case 'put': {
      const guard = request.owner === null ? '' : ` WHERE ${fieldExpression(ownerField)} = ?`;
      const owner = request.owner === null ? [] : [request.owner];
      const { changes } = statements.of(`INSERT INTO ${request.table} (_id, doc) VALUES (?, ?) ON CONFLICT (_id) DO UPDATE SET doc = excluded.doc${guard.replaceAll('(doc,', `(${request.table}.doc,`)}`).run(request.id, request.doc, ...owner);
      if (changes === 0) throw new Error(`UNIQUE constraint failed: ${request.table}._id`);
      return null;
    }
    case 'remove':
      return statements.of(`DELETE FROM ${request.table} WHERE _id = ? AND ${request.where}`).run(request.id, ...request.values).changes > 0;
    case 'removeMany':
      return Number(statements.of(`DELETE FROM ${request.table} WHERE rowid IN (SELECT rowid FROM ${request.table} WHERE ${request.where} LIMIT ?)`).run(...request.values, request.limit).changes);
    case 'prepare':
      return inSavepoint(statements, () => prepare(database, request));
  }
}

function insertNew(statements: Statements, request: WriteRequest & { kind: 'insertNew' }): string[] {
  const insert = statements.of(`INSERT INTO ${request.table} (_id, doc) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  return request.ids.filter((id, place) => insert.run(id, request.docs[place] ?? '').changes > 0);
}

/** Makes tables and indexes; an index whose declaration has changed is made anew, one that is declared no more goes. */
function prepare(database: DatabaseSync, request: WriteRequest & { kind: 'prepare' }): null {
  for (const { name, table, indexes } of request.collections) {
    database.exec(`CREATE TABLE IF NOT EXISTS ${table} (_id TEXT PRIMARY KEY NOT NULL, doc TEXT NOT NULL)`);
    const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL").all(name);
    const standing = new Map(rows.map((row) => [String(row['name']), String(row['sql'])]));
    for (const [old, sql] of standing) {
      if (!indexes.some((index) => index.name === old && index.sql === sql)) database.exec(`DROP INDEX "${old}"`);
    }
    for (const index of indexes) {
      if (standing.get(index.name) !== index.sql) database.exec(index.sql);
    }
  }
  return null;
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

/** The index that a message of a violated constraint names (`index 'collection.name'`, or `table._id`), or null. */
function duplicateIndex(message: string): string | null {
  const found = /^UNIQUE constraint failed: (?:index '[^'.]+\.([^']+)'|.*\b(_id)$)/.exec(message);
  return found === null ? null : (found[1] ?? found[2] ?? null);
}

function isStoreFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && typeof error.errcode === 'number' && storeFailures.has(error.errcode & 0xff);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { DatabaseSync } from 'node:sqlite';
import { ownerField } from '../scoping.ts';
import { fragmentsFunction, fragmentsTable, separator } from './fragments.ts';
import { quoted } from './sql.ts';
import type { Statements } from './statements.ts';

/** Statements that keep the index of fragments of one field. */
interface FragmentsStatements {
  create: readonly string[];
  track: readonly string[];
  optimize: string;
  changed: string;
  forget: string;
  insert: string;
  update: string;
  remove: string;
}

function statementsFor(collection: string, path: string): FragmentsStatements {
  const table = fragmentsTable({ name: collection }, path);
  const rows = quoted(collection);
  const [owner, field] = [quoted(ownerField), quoted(path)];
  const changed = `temp.${quoted(`${collection}${separator}${path} changed`)}`;
  const words = `${fragmentsFunction}(${owner}, ${field})`;
  const trigger = (event: string, on: string, row: string): string =>
    `CREATE TEMP TRIGGER IF NOT EXISTS ${quoted(`${collection}${separator}${path} ${event}`)} AFTER ${on} ON main.${rows} BEGIN INSERT OR IGNORE INTO ${quoted(`${collection}${separator}${path} changed`)} VALUES (${row}); END`;
  return {
    create: [
      `DROP TABLE IF EXISTS ${table}`,
      `CREATE VIRTUAL TABLE ${table} USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
      `INSERT INTO ${table} (rowid, words) SELECT rowid, ${words} FROM ${rows}`,
    ],
    track: [
      `CREATE TABLE IF NOT EXISTS ${changed} (id INTEGER PRIMARY KEY, is_new INTEGER)`,
      trigger('insert', 'INSERT', 'new.rowid, 1'),
      trigger('update', `UPDATE OF ${owner}, ${field}`, 'new.rowid, 0'),
      trigger('delete', 'DELETE', 'old.rowid, 0'),
    ],
    // https://sqlite.org/fts5.html#the_optimize_command
    optimize: `INSERT INTO ${table} (${table}) VALUES ('optimize')`,
    changed: `SELECT id, is_new, ${rows}.rowid IS NOT NULL AS is_there, ${words} AS words FROM ${changed} LEFT JOIN ${rows} ON ${rows}.rowid = id`,
    forget: `DELETE FROM ${changed}`,
    insert: `INSERT INTO ${table} (words, rowid) VALUES (?, ?)`,
    update: `UPDATE ${table} SET words = ? WHERE rowid = ?`,
    remove: `DELETE FROM ${table} WHERE rowid = ?`,
  };
}

/**
 * Keeps the indexes of fragments of the file. Temporary triggers record which rows a transaction changes, and `flush`
 * writes their words at its end: a trigger that wrote them itself would make FTS5 start a segment for each row. They
 * are temporary because another version of the program that opens the file does not call `flush`.
 */
export class FragmentTables {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #tables = new Map<string, FragmentsStatements>();

  /** @param database the writer's connection, whose writes the indexes in its file follow from now on */
  constructor(database: DatabaseSync, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
    const virtual = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'")
      .all();
    for (const { name } of virtual) {
      const [collection = '', path = ''] = String(name).split(separator);
      this.#track(collection, path);
    }
  }

  /**
   * Creates the index of a field.
   * @param isStale whether one that exists may lack writes of another version of the program
   */
  prepare(collection: string, path: string, isStale: boolean): void {
    if (this.#tables.has(`${collection}${separator}${path}`) && !isStale) return;
    const { create } = statementsFor(collection, path);
    for (const statement of create) this.#database.exec(statement);
    this.#track(collection, path);
  }

  /** Writes the words of the rows that this transaction has changed: to be called before it commits. */
  flush(): void {
    for (const { changed, forget, insert, update, remove } of this.#tables.values()) {
      const rows = this.#statements.of(changed).all();
      if (rows.length === 0) continue;
      for (const row of rows) {
        const { id = null, words = null } = row;
        if (row['is_there'] === 0) {
          if (row['is_new'] === 0) this.#statements.of(remove).run(id);
        } else this.#statements.of(row['is_new'] === 1 ? insert : update).run(words, id);
      }
      this.#statements.of(forget).run();
    }
  }

  /** Removes from the indexes what deleted documents have left there. */
  optimize(): void {
    for (const { optimize } of this.#tables.values()) this.#database.exec(optimize);
  }

  #track(collection: string, path: string): void {
    const statements = statementsFor(collection, path);
    for (const statement of statements.track) this.#database.exec(statement);
    this.#tables.set(`${collection}${separator}${path}`, statements);
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';

/** Prepared statements that one connection keeps. */
const maxStatements = 500;

/** Prepared statements of one connection by their text. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new LRUCache<string, StatementSync>({ max: maxStatements });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The statement for a text. */
  of(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

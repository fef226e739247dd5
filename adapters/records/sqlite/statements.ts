import type { DatabaseSync, StatementSync } from 'node:sqlite';

const most = 500;

/** Prepared statements of one connection by their text: the ones used longest ago go first when there are many. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #asLists: boolean;
  readonly #prepared = new Map<string, StatementSync>();

  /** @param asLists rows come as lists of their columns, which costs less than objects */
  constructor(database: DatabaseSync, { asLists = false }: { asLists?: boolean } = {}) {
    this.#database = database;
    this.#asLists = asLists;
  }

  /** The statement for a text. */
  of(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) {
      if (this.#prepared.size === most) {
        this.#prepared.delete(sql);
        this.#prepared.set(sql, known);
      }
      return known;
    }
    const statement = this.#database.prepare(sql);
    if (this.#asLists) statement.setReturnArrays(true);
    if (this.#prepared.size >= most) {
      const oldest = this.#prepared.keys().next().value;
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    this.#prepared.set(sql, statement);
    return statement;
  }
}

import { counterOf, numberOf, type Connection } from './connection.ts';

/** Numbers that are others after a change. */
export interface Version {
  /** Of the file: another one with every commit of another connection. */
  file: number;
  /**
   * Of what a search may find: it stays as it is while files are laid down that are not found yet, which is most of
   * what a writer does.
   */
  retrievable: number;
}

/** Detects, in the current transaction, whether a reader's caches are still valid. */
export class Versions {
  readonly #connection: Connection;
  #last: Version = { file: -1, retrievable: -1 };

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The versions that the current transaction sees. https://sqlite.org/pragma.html#pragma_data_version */
  now(): Version {
    const file = numberOf(this.#connection.lists('pragma data_version')[0]?.[0]);
    if (file !== this.#last.file) this.#last = { file, retrievable: counterOf(this.#connection, 'retrievable') };
    return this.#last;
  }
}

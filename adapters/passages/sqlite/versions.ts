import { counterOf, numberOf, type Connection } from './connection.ts';

/** Numbers that change with the file. */
export interface Version {
  /** Changes with every commit of another connection. */
  file: number;
  /**
   * Changes when the retrievable rows change, and not while unpublished files are written, which is most of the writes.
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

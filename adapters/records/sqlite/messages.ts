import type { Value } from './sql.ts';

/** What the writer is asked to do. Documents and changes travel as JSON text, statements with their values apart. */
export type WriteRequest =
  | { kind: 'prepare'; collections: { name: string; table: string; columns: string[]; indexes: { name: string; sql: string }[] }[] }
  | { kind: 'insert'; table: string; id: string; doc: string }
  | { kind: 'insertNew'; table: string; ids: string[]; docs: string[] }
  | { kind: 'update'; table: string; id: string; where: string; values: Value[]; change: string }
  | { kind: 'put'; table: string; id: string; doc: string; owner: string | null }
  | { kind: 'remove'; table: string; id: string; where: string; values: Value[] }
  | { kind: 'removeMany'; table: string; where: string; values: Value[]; limit: number }
  /** Done after the transaction: what the log holds goes into the file, and the log is emptied. */
  | { kind: 'purge' };

/** What the reader is asked: a statement whose first column is answered, row by row. */
export interface ReadRequest {
  sql: string;
  values: Value[];
}

/** What a request came to. `duplicate` names the index; `store` is a failure of the file or the disk. */
export type Answer =
  | { value: string | number | boolean | null | string[] }
  | { failure: 'duplicate' | 'store' | 'error'; message: string };

/** What a worker tells when it has opened the file, or could not. */
export type Greeting = { ready: true } | { ready: false; message: string };

import type { PackedParts, PartsOrder } from './parts.ts';
import type { Value } from './sql.ts';

/** A request to the writer. Documents and changes travel as JSON text, values separately from their statements. */
export type WriteRequest =
  | {
      kind: 'prepare';
      collections: {
        name: string;
        table: string;
        columns: string[];
        indexes: { name: string; sql: string }[];
        /** Fields whose fragments are indexed. */
        substrings: readonly string[];
      }[];
    }
  | { kind: 'insert'; table: string; id: string; doc: string }
  | { kind: 'insertNew'; table: string; ids: string[]; docs: string[] }
  | {
      kind: 'update';
      table: string;
      id: string;
      where: string;
      values: Value[];
      change: string;
      /** Whether the answer is the document; else it is `true`: many changed documents are not sent back unread. */
      isWanted: boolean;
    }
  | { kind: 'put'; table: string; id: string; doc: string; owner: string | null }
  | { kind: 'remove'; table: string; id: string; where: string; values: Value[] }
  | { kind: 'removeMany'; table: string; where: string; values: Value[]; limit: number }
  /** Carried out after the transaction: the log's content goes into the file, and the log is emptied. */
  | { kind: 'purge' };

/** What a reader is asked: a statement; the answer is the first column of each row, or parts of documents. */
export interface ReadRequest {
  sql: string;
  values: Value[];
  parts?: PartsOrder;
}

/** What a request resolves with. */
export type AnswerValue = string | number | boolean | null | string[] | PackedParts;

/** The outcome of a request. `duplicate` names the index; `store` is a failure of the file, the disk or in time. */
export type Answer = { value: AnswerValue } | { failure: 'duplicate' | 'store' | 'error'; message: string };

/** A thread's first message: whether it has opened the file. */
export type Greeting = { ready: true } | { ready: false; message: string };

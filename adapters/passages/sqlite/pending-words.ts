import { countWords, noWords } from '../word-counts.ts';
import type { Connection } from './connection.ts';
import { applyWords } from './rows.ts';
import { addRun } from './word-runs.ts';

/** A written passage whose words are not yet in the statistics. */
export interface UncountedRow {
  organization: number;
  id: number;
  stems: string;
  length: number;
  analysedAs: string;
}

/**
 * Words of passages that the current transaction has written. They are counted and indexed together before it commits:
 * a stem that several passages contain is counted by one write, and all of them share a run of the word index. Changes
 * that read the statistics must flush the pending words first.
 */
export class PendingWords {
  #rows: readonly UncountedRow[] = [];

  add(row: UncountedRow): void {
    this.#rows = [...this.#rows, row];
  }

  /** The pending rows, to be restored when the transaction rolls back to a savepoint. */
  get state(): readonly UncountedRow[] {
    return this.#rows;
  }

  restore(state: readonly UncountedRow[]): void {
    this.#rows = state;
  }

  flush(connection: Connection): void {
    const rows = this.#rows;
    this.#rows = [];
    for (const [organization, own] of Map.groupBy(rows, (row) => row.organization)) {
      const counts = noWords();
      for (const row of own) countWords(counts, row, 1);
      applyWords(connection, organization, counts);
      addRun(connection, organization, own);
    }
  }
}

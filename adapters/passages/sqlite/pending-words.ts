import { countWords, noWords, type WordCounts } from '../word-counts.ts';
import type { Connection } from './connection.ts';
import { applyWords, indexedWords } from './rows.ts';

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
 * a stem that several passages contain is counted by one write, and FTS5 writes a single segment, whereas each
 * savepoint makes it write a segment of its own. Changes that read the statistics must flush the pending words first.
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
    const counts = new Map<number, WordCounts>();
    for (const row of rows) {
      let counted = counts.get(row.organization);
      if (counted === undefined) counts.set(row.organization, (counted = noWords()));
      countWords(counted, row, 1);
    }
    for (const [organization, counted] of counts) applyWords(connection, organization, counted);
    for (const { organization, id, stems } of rows)
      connection.run('insert into words (rowid, stems) values (?, ?)', id, indexedWords(organization, stems));
  }
}

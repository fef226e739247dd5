import { countWords, noWords, type WordCounts } from '../word-counts.ts';
import type { Connection } from './connection.ts';
import { applyWords, indexedWords } from './rows.ts';

/** A passage that was laid down, whose words nobody counts yet. */
export interface UncountedRow {
  organization: number;
  id: number;
  stems: string;
  length: number;
  analysedAs: string;
}

/**
 * Words of passages that were laid down in the transaction under way. They are counted and put into the word index
 * together, before it is committed: a stem that several of them hold is counted by one write, and FTS5 makes one
 * segment of them all, where any statement between that may be taken back has it write down what it has. So long, what
 * is counted may not be changed: who does has it flushed before.
 */
export class PendingWords {
  #rows: readonly UncountedRow[] = [];

  add(row: UncountedRow): void {
    this.#rows = [...this.#rows, row];
  }

  /** What waits, to be put back with what is taken back in the file. */
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

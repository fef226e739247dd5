import { countWords, noWords } from '../word-counts.ts';
import type { Connection } from './connection.ts';
import { addRun, type WordsOfPassage } from './word-runs.ts';
import { applyWords } from './word-statistics.ts';

/** A written passage whose words are not yet in the statistics. */
export interface UncountedRow {
  organization: number;
  id: number;
  stems: string;
  length: number;
  analysedAs: string;
}

/** What is pending. */
interface Pending {
  uncounted: readonly UncountedRow[];
  /** Counted passages that no run has yet. */
  unindexed: readonly (WordsOfPassage & { organization: number })[];
}

const nothing: Pending = { uncounted: [], unindexed: [] };

/**
 * Words of passages that the current transaction has written. They are counted and indexed together before it commits:
 * a stem that several passages contain is counted by one write, and all of them share a run of the word index. Changes
 * that read the statistics must count the pending words first, and changes that remove postings must flush them.
 */
export class PendingWords {
  #pending = nothing;

  add(row: UncountedRow): void {
    this.#pending = { ...this.#pending, uncounted: [...this.#pending.uncounted, row] };
  }

  /** Adds passages of an organization whose words are in the statistics. */
  addCounted(organization: number, passages: readonly WordsOfPassage[]): void {
    const { uncounted, unindexed } = this.#pending;
    this.#pending = { uncounted, unindexed: [...unindexed, ...passages.map((each) => ({ ...each, organization }))] };
  }

  /** The pending words, to be restored when the transaction rolls back to a savepoint. */
  get state(): Pending {
    return this.#pending;
  }

  restore(state: Pending): void {
    this.#pending = state;
  }

  /** Forgets all: the transaction was rolled back. */
  clear(): void {
    this.#pending = nothing;
  }

  /** Adds the pending words to the statistics. */
  count(connection: Connection): void {
    const { uncounted } = this.#pending;
    this.#pending = { ...this.#pending, uncounted: [] };
    for (const [organization, own] of Map.groupBy(uncounted, (row) => row.organization)) {
      const counts = noWords();
      for (const row of own) countWords(counts, row, 1);
      applyWords(connection, organization, counts);
      this.addCounted(organization, own);
    }
  }

  /** Counts the pending words, and indexes them. */
  flush(connection: Connection): void {
    this.count(connection);
    const { unindexed } = this.#pending;
    this.#pending = nothing;
    for (const [organization, own] of Map.groupBy(unindexed, (each) => each.organization))
      addRun(connection, organization, own);
  }
}

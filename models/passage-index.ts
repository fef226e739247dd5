import { defineCollection } from './collection.ts';

/** A recovery of the passage index: passes over all files that index missing files again. */
export interface IndexRecoveryRun {
  /** Identity of the checked index. */
  identity: string;
  /**
   * Why it runs. `unknown`: the records name no index (a first start, or the first start of a version that checks).
   * `other`: they name another index. `older`: they name this index with later changes. `incomplete`: the last
   * recovery was incomplete.
   */
  reason: 'unknown' | 'other' | 'older' | 'incomplete';
  /** When it began, in milliseconds of store time. */
  since: number;
  /** Files with an active revision at its start. */
  total: number;
  /** Jobs started so far, in all passes. */
  made: number;
  /** The current pass. Files with a job in progress are checked by the next pass. */
  walk: {
    /** Store time before which it does not start. A pass also waits for the jobs of the pass before it. */
    notBefore: number;
    isFirst: boolean;
    /** Id of the last checked file; null before the first. */
    after: string | null;
    /** Number of checked files. */
    looked: number;
    /**
     * Incomplete files: those for which a job was started, those with a job already in progress, and those that no job
     * can recover.
     */
    started: number;
    underWay: number;
    unrecoverable: number;
  };
}

/** The records' document about the passage index, by which a lost or replaced index is detected. */
export interface IndexRecord {
  /** `index` is the document of earlier versions, of which only `identity` and `changes` are read. */
  _id: 'recovery' | 'index';
  /** Identity of the index that held the passages of all active revisions when it was checked. */
  identity: string;
  /** Number of changes of this index at its last check: an index with fewer changes is an older copy. */
  changes: number;
  /** The recovery in progress; null if there is none. */
  recovery: IndexRecoveryRun | null;
  /** Files that the last recovery left incomplete; if there are any, it is repeated at `retryAt` (store time). */
  unrecoverable: number;
  retryAt: number | null;
  /** Increases with every write. */
  version: number;
}

/** Holds the single document about the passage index. */
export const indexRecords = defineCollection<IndexRecord>({ name: 'index_state', owner: 'deployment', indexes: [] });

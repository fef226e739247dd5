import { defineCollection } from './collection.ts';

/** A walk over all files that compares the passage index with the records and has made anew what it lacks. */
export interface IndexMending {
  /** Identity of the index that is looked at. */
  identity: string;
  /**
   * Why: the records had not known any index (a first start, or the first of a version that looks), they knew another
   * one, they knew this one with later changes, or files were left over the last time.
   */
  reason: 'unknown' | 'other' | 'older' | 'left';
  /** When it was begun, in milliseconds of store time. */
  since: number;
  /** Files with an active revision when it was begun. */
  total: number;
  /** Files that were given a job so far, in all walks. */
  made: number;
  /** The walk under way. Files whose job is under way are looked at by another one behind it. */
  walk: {
    /** Not before this store time, and for a walk that follows another not before the jobs of that one have ended. */
    notBefore: number;
    isFirst: boolean;
    /** Id of the last file that was looked at; null before the first. */
    after: string | null;
    looked: number;
    /** Files that lack passages: given a job now, with a job under way, and those of which no job can be made now. */
    started: number;
    underWay: number;
    unmended: number;
  };
}

/** What the records know of the passage index: the one document by which a lost or exchanged index is noticed. */
export interface IndexRecord {
  _id: 'index';
  /** Identity of the index that was found to have the passages of all active revisions. */
  identity: string;
  /** Changes that this index had counted when it was last looked at: one with fewer is an older copy. */
  changes: number;
  mending: IndexMending | null;
  /** Files that the last walk could not have made anew; it is repeated at `again` (store time) where there were any. */
  unmended: number;
  again: number | null;
  /** Grows with every write of this document. */
  version: number;
}

/** Holds the one document about the passage index. */
export const indexRecords = defineCollection<IndexRecord>({ name: 'index_state', owner: 'deployment', indexes: [] });

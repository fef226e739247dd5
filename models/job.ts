import { defineCollection } from './collection.ts';
import type { JobErrorCode } from './errors.ts';
import type { RevisionFacts } from './asset.ts';

/** A step of a run that workers do. */
export type Stage = 'extracting' | 'transcribing' | 'embedding' | 'deleting' | 'cleanup';
/** State of a job as the API shows it: the stage under way, or what it waits for, or how it ended. */
export type JobState = 'queued' | Stage | 'retry_scheduled' | 'awaiting_source_access' | 'ready' | 'failed' | 'cancelled';

/**
 * Where a run stands for the scheduler: waiting for its turn, held back until its organization may index recordings
 * again, handed to the stage's queue, leased by a worker, put off after a temporary failure, waiting for somebody (source
 * access), being removed, or ended.
 */
export type Phase = 'waiting' | 'held' | 'dispatched' | 'working' | 'put_off' | 'paused' | 'removing' | 'ended';

/** The right to work on a stage for a while. */
export interface Lease {
  /** One higher than the lease before; every later write of the worker is conditional on it. */
  token: number;
  /** Node id of the worker. */
  owner: string;
  /** How many jobs of the stage the worker had in its hands when it last wrote, this one among them. Absent in documents of the first version: one. */
  held?: number;
}

/**
 * One run over a revision of an asset: what the API calls a job. The latest run stands in its asset's document;
 * earlier runs are in the `runs` collection.
 */
export interface Run {
  jobId: string;
  revision: number;
  /** What it is for: reading a file, embedding it anew after a change of the model, indexing a corrected transcript, or removing the asset. */
  purpose: 'index' | 'reembed' | 'correct' | 'remove';
  state: JobState;
  /** The stage that works, or that the job waits for. */
  stage: Stage;
  /** Counts stages and their repetitions; fixes the ids of what a stage causes. */
  stageSeq: number;
  /** 0-100 within the stage; never falls within one. */
  progress: number;
  errorCode: JobErrorCode | null;
  /** Attempts of the current stage, from 1. */
  attempt: number;
  /** Leases of the current stage that ran out without a word. */
  lostLeases: number;
  /** Its share of the blame for them: each lost worker is shared out among the jobs that it held. Absent in documents of the first version. */
  blame?: number;
  /** Highest lease token given so far. */
  token: number;
  lease: Lease | null;
  phase: Phase;
  /**
   * When a sweeper has to look at it: the end of the lease (working), the time of the next attempt (put_off), the
   * time by which a worker should have claimed it (dispatched), the next step of a removal (removing). Store time.
   */
  dueAt: number | null;
  /** Process that dispatched it: an embedded queue is empty after a restart. */
  dispatchedBy: string | null;
  /** When it began to wait for the stage. */
  queuedAt: number;
  createdAt: number;
  updatedAt: number;
  /** What this run has found out so far. */
  facts: RevisionFacts;
}

/** An earlier run of an asset, kept for its history. Its id is the job's. */
export interface ArchivedRun {
  _id: string;
  organizationId: string;
  assetId: string;
  run: Run;
  /** Version of the asset's document that the run was read from: a later reading replaces an earlier one, never the other way. Absent in the first version's. */
  assetVersion?: number;
}

/** Runs that were superseded by a later one of the same asset. */
export const archivedRuns = defineCollection<ArchivedRun>({
  name: 'runs',
  owner: 'organization',
  indexes: [{ name: 'asset', fields: ['organizationId', 'assetId', 'run.createdAt'] }],
});

/** What travels over a stage's queue: ids only. The asset's document is the truth. */
export interface StageMessage {
  organizationId: string;
  assetId: string;
  jobId: string;
  stageSeq: number;
  attempt: number;
}

/** First holder of a content within an account: only it is charged for reading and indexing the content. */
export interface ContentHolder {
  /** `<account id>:<sha256>` */
  _id: string;
  accountId: string;
  assetId: string;
  jobId: string;
}

/** Contents by account, each with its first holder. */
export const contentHolders = defineCollection<ContentHolder>({ name: 'contents', owner: 'deployment', indexes: [] });

import type { StoredRecord } from './collection.ts';

/**
 * The scheduler's state of a run: waiting for its turn, held back by a limit of its organization, dispatched to the
 * stage's queue, leased by a worker, postponed after a temporary failure, waiting for a client (source access), being
 * removed, or ended.
 */
export type Phase = 'waiting' | 'held' | 'dispatched' | 'working' | 'put_off' | 'paused' | 'removing' | 'ended';

/** The lease of a run's current stage; when it expires is the run's `dueAt`. */
export interface RunLease {
  /** One higher than the previous lease's token; every write of the worker is conditional on it. */
  token: number;
  /** Node id of the worker. */
  owner: string;
  /**
   * Jobs of the stage that the worker had in progress at its last write, including this one. Absent in documents of the
   * first version: one.
   */
  held?: number;
}

/** One piece of work that goes through stages. Kinds of work narrow its fields and add their own. */
export interface WorkRun {
  jobId: string;
  /** The state that clients see: `queued`, the current stage, the reason for waiting, or the result. */
  state: string;
  /** The stage in progress or waited for. Names of stages are unique across kinds of work. */
  stage: string;
  /** Counts stages and their repetitions; part of the ids that a stage creates. */
  stageSeq: number;
  /** 0-100 within the stage; never falls within one. */
  progress: number;
  errorCode: string | null;
  /** Attempts of the current stage, from 1. */
  attempt: number;
  /** Leases of the current stage that expired. */
  lostLeases: number;
  /**
   * Share of the blame for expired leases: a lost worker is divided among the jobs that it held. Absent in documents
   * of the first version.
   */
  blame?: number;
  /** Highest lease token so far. */
  token: number;
  lease: RunLease | null;
  phase: Phase;
  /**
   * Store time at which a sweeper has to look at the run: the end of the lease (working), the next attempt (put_off),
   * the time by which a worker should have claimed it (dispatched), the next step (removing).
   */
  dueAt: number | null;
  /** Process that dispatched it: an embedded queue is empty after a restart. */
  dispatchedBy: string | null;
  /** When it began to wait for the stage. */
  queuedAt: number;
  createdAt: number;
  updatedAt: number;
}

/** A new run that waits for its first stage. @param now store time */
export function queuedRun<S extends string>(
  jobId: string,
  stage: S,
  now: number,
): WorkRun & { state: 'queued'; stage: S; errorCode: null } {
  return {
    jobId,
    state: 'queued',
    stage,
    stageSeq: 1,
    progress: 0,
    errorCode: null,
    attempt: 1,
    lostLeases: 0,
    blame: 0,
    token: 0,
    lease: null,
    phase: 'waiting',
    dueAt: null,
    dispatchedBy: null,
    queuedAt: now,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * A pending change of another store. It is written together with its cause, delivered by idempotent writes with fixed
 * ids, and then removed.
 */
export interface OutboxItem {
  id: string;
  kind: string;
  /** Store time before which it is not delivered. */
  notBefore: number;
}

/** A document with an outbox. */
export interface Outboxed extends StoredRecord {
  organizationId: string;
  /** Grows with every write of the document. */
  version: number;
  outbox: OutboxItem[];
  /** When the first item of `outbox` is due; absent when it is empty. */
  outboxDue?: number;
}

/** A document that carries its current run and an outbox: what the work kit (mixins/work) works on. */
export interface Runnable extends Outboxed {
  run: WorkRun;
}

/** The message of a stage's queue: ids only. The document is the source of truth. */
export interface WorkMessage {
  organizationId: string;
  /** Id of the document that carries the run. */
  documentId: string;
  jobId: string;
  stageSeq: number;
  attempt: number;
}

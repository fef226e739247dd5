import type { Change, Filter, Storable } from '../../adapters/records/port.ts';
import { nextLease, underLease, type LeaseFields } from '../../models/lease.ts';
import type { Runnable, WorkRun } from '../../models/work.ts';

/** A conditional write of a document: it happens only while the filter still matches. */
export interface Transition {
  filter: Filter;
  change: Change;
}

/** What a kind of work changes in a transition besides the fields that all runs have. */
export interface Effects<T extends Runnable> {
  /** Further fields of the run, by name. */
  run?: { readonly [field: string]: Storable };
  /** Further fields of the document, by path. */
  document?: { readonly [path: string]: Storable };
  /** Items that the outbox gets. */
  outbox?: T['outbox'];
}

/** What a kind of work says about runs that end without success. */
export interface Cleanup<T extends Runnable> {
  /** Outbox items that undo what a run has written, or tell of its end. @param code why it failed; none: it was cancelled */
  cleanup(document: T, notBefore: number, code?: string): T['outbox'];
  /** Fields of the document, by path, that the failure of its run sets. */
  failed?(document: T, code: string): { readonly [path: string]: Storable };
  /**
   * Attempts of the current stage before a temporary failure, or lost workers, become final; `maxAttempts` by default.
   * Infinity for a stage that must be done.
   */
  maxAttempts?(document: T): number;
}

/** Attempts of one stage before a temporary failure becomes final. */
export const maxAttempts = 8;
/**
 * Blame for lost workers in one stage at which a job counts as poisonous: three workers that did nothing else. A worker
 * that is lost with four jobs counts as a quarter for each, so that killed workers do not make healthy jobs fail. No
 * stage is begun more often than `maxAttempts`.
 */
export const maxBlame = 3;
/** How long a dispatched job may stay unclaimed before it is dispatched again. */
const claimTimeoutMs = 60_000;
/**
 * How long the sweeper leaves the items of a stage to the end of the run, which delivers them together with those of
 * the last stage: one call and one write.
 */
export const stageOutboxDelayMs = 60_000;
/** How long it leaves the items of a run that has ended to the worker that ended it, which delivers them at once. */
export const endOutboxDelayMs = 2000;
const maxRetryMs = 15 * 60_000;

/**
 * How long to wait before the attempt after `attempt` (from 1): full jitter over a span that doubles with each
 * attempt. Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @param random a number in [0, 1)
 * @returns milliseconds, at most 15 minutes
 */
export function backoff(attempt: number, baseMs: number, random: number): number {
  return Math.ceil(random * Math.min(maxRetryMs, baseMs * 2 ** (attempt - 1)));
}

/** How documents keep the lease of their run. `held` is the number of jobs that the worker has under way. */
const runLease = (held: number): LeaseFields<Runnable> => ({
  token: 'run.token',
  read: ({ run }) => ({ token: run.token, until: run.lease === null ? null : run.dueAt }),
  write: ({ token, owner, until }) => ({ 'run.token': token, 'run.lease': { token, owner, held }, 'run.dueAt': until }),
});

/** Fields of a run that waits for its turn, of one that has not been tried yet, and of one that has ended. */
const waiting = { phase: 'waiting', state: 'queued', lease: null, dueAt: null, dispatchedBy: null } as const;
const firstAttempt = { attempt: 1, lostLeases: 0, blame: 0, errorCode: null } as const;
const ended = { phase: 'ended', lease: null, dueAt: null } as const;

/**
 * The write that sets fields of the run, may set fields of the document, and adds to the outbox. An outbox that is
 * looked at too early does no harm.
 */
function write<T extends Runnable>(
  current: T,
  filter: Filter,
  now: number,
  run: Partial<WorkRun>,
  effects: Effects<T> = {},
  outboxDelayMs = 0,
): Transition {
  const set: { [path: string]: Storable } = { ...effects.document, 'run.updatedAt': now };
  for (const [field, value] of Object.entries({ ...run, ...effects.run })) set[`run.${field}`] = value;
  const outbox = effects.outbox ?? [];
  const due = outbox.map((item) => item.notBefore + outboxDelayMs);
  // The items of earlier stages are due at the end of the run, also where the last stage adds none.
  if (run.phase === 'ended' && current.outboxDue !== undefined) due.push(now + endOutboxDelayMs);
  if (due.length > 0) set['outboxDue'] = Math.min(current.outboxDue ?? Infinity, ...due);
  return { filter, change: { set, increment: { version: 1 }, ...(outbox.length > 0 ? { push: { outbox } } : {}) } };
}

const ofStage = ({ run }: Runnable): Filter => ({ 'run.jobId': run.jobId, 'run.stageSeq': run.stageSeq });

/** Matches the run while the lease holds that the document was read with. */
export function whileLeased(document: Runnable): Filter {
  return { ...ofStage(document), 'run.phase': 'working', ...underLease(runLease(1), document.run) };
}

/** The turn of the run has come: it goes to the queue of its stage. */
export function dispatch(document: Runnable, by: string, now: number): Transition {
  return write(document, { ...ofStage(document), 'run.phase': 'waiting' }, now, {
    phase: 'dispatched',
    dispatchedBy: by,
    dueAt: now + claimTimeoutMs,
  });
}

/** It was dispatched and not claimed, or the queue was lost with its process: it waits for another turn. */
export function undispatch(document: Runnable, now: number): Transition {
  const { jobId, dueAt } = document.run;
  return write(document, { 'run.jobId': jobId, 'run.phase': 'dispatched', 'run.dueAt': dueAt }, now, waiting);
}

/**
 * A worker takes the lease of the stage.
 * @param worker.held jobs that it has under way, this one included
 */
export function claim(
  document: Runnable,
  { owner, held }: { owner: string; held: number },
  now: number,
  durationMs: number,
): Transition {
  const { filter, set } = nextLease(runLease(held), document, { owner, now, durationMs });
  const isQueued = { ...ofStage(document), 'run.phase': { $in: ['dispatched', 'waiting'] }, ...filter };
  return write(document, isQueued, now, { phase: 'working', state: document.run.stage }, { document: set });
}

/** The worker is alive: its lease is renewed, and its progress written. */
export function renew(
  document: Runnable,
  { progress, held }: { progress: number; held: number },
  now: number,
  durationMs: number,
): Transition {
  const run = { dueAt: now + durationMs, progress };
  return write(document, whileLeased(document), now, run, { document: { 'run.lease.held': held } });
}

/** The stage is done; the next one waits for its turn. */
export function advance<T extends Runnable>(
  document: T,
  next: T['run']['stage'],
  now: number,
  effects: Effects<T> = {},
): Transition {
  return write(
    document,
    whileLeased(document),
    now,
    { ...waiting, ...firstAttempt, stage: next, stageSeq: document.run.stageSeq + 1, progress: 0, queuedAt: now },
    effects,
    stageOutboxDelayMs,
  );
}

/** The last stage is done: the run has ended well, in the given state. */
export function complete<T extends Runnable>(
  document: T,
  state: T['run']['state'],
  now: number,
  effects: Effects<T> = {},
): Transition {
  const run = { ...ended, state, progress: 100, errorCode: null };
  return write(document, whileLeased(document), now, run, effects, endOutboxDelayMs);
}

/** A temporary failure: the stage is tried again at `retryAt`, or the run fails once all attempts are used up. */
export function putOff<T extends Runnable>(
  kind: Cleanup<T>,
  document: T,
  code: string,
  retryAt: number,
  now: number,
  outbox: T['outbox'] = [],
): Transition {
  if (document.run.attempt >= (kind.maxAttempts?.(document) ?? maxAttempts))
    return fail(kind, document, code, now, outbox);
  return write(document, whileLeased(document), now, {
    phase: 'put_off',
    state: 'retry_scheduled',
    errorCode: code,
    dueAt: retryAt,
    attempt: document.run.attempt + 1,
    lease: null,
  });
}

/** The time of the next attempt has come. */
export function resume(document: Runnable, now: number): Transition {
  const { jobId, dueAt } = document.run;
  const filter = { 'run.jobId': jobId, 'run.phase': 'put_off', 'run.dueAt': dueAt };
  return write(document, filter, now, { ...waiting, queuedAt: now });
}

/**
 * The stage waits for somebody outside, in a state of the kind's own.
 * @param unless further conditions: what the wait is for may have been given meanwhile
 */
export function pause(document: Runnable, state: string, code: string, now: number, unless: Filter = {}): Transition {
  return write(document, { ...whileLeased(document), ...unless }, now, {
    phase: 'paused',
    state,
    errorCode: code,
    lease: null,
    dueAt: null,
  });
}

/** Fields of a paused run that waits for its turn again; earlier attempts do not count against it. */
export function newAttempts(
  now: number,
): typeof waiting & typeof firstAttempt & { queuedAt: number; updatedAt: number } {
  return { ...waiting, ...firstAttempt, queuedAt: now, updatedAt: now };
}

/** The change of a stage that has got on: workers that were lost before do not count against it. */
export const blameless: Change = { set: { 'run.lostLeases': 0, 'run.blame': 0 }, increment: { version: 1 } };

/** The run fails for good. `outbox` holds the items that are written nevertheless. */
export function fail<T extends Runnable>(
  { cleanup, failed }: Cleanup<T>,
  document: T,
  code: string,
  now: number,
  outbox: T['outbox'] = [],
): Transition {
  const run = { ...ended, state: 'failed', errorCode: code };
  const all = [...outbox, ...cleanup(document, now, code)];
  const effects = { outbox: all, document: failed?.(document, code) ?? {} };
  return write(document, whileLeased(document), now, run, effects, endOutboxDelayMs);
}

/** A stopping worker gives the stage back; nothing counts against the run. */
export function handBack(document: Runnable, now: number): Transition {
  return write(document, whileLeased(document), now, waiting);
}

/**
 * The organization may begin no more of this kind at present: the run is held back where it stands, by its worker or
 * before it has one. Nothing counts against it, and it keeps its position.
 */
export function hold(document: Runnable, now: number): Transition {
  const filter = document.run.lease === null ? { ...ofStage(document), 'run.phase': 'waiting' } : whileLeased(document);
  return write(document, filter, now, { ...waiting, phase: 'held' });
}

/** A run that was held back waits for its turn again. */
export function release(document: Runnable, now: number): Transition {
  return write(document, { 'run.jobId': document.run.jobId, 'run.phase': 'held' }, now, { phase: 'waiting' });
}

/** The lease has expired: the stage waits again, or the job counts as poisonous and fails. */
export function expire<T extends Runnable>(kind: Cleanup<T>, document: T, now: number): Transition {
  const { run } = document;
  const filter: Filter = { ...whileLeased(document), 'run.dueAt': run.dueAt };
  const lostLeases = run.lostLeases + 1;
  const blame = (run.blame ?? 0) + 1 / Math.max(1, run.lease?.held ?? 1);
  const attempts = kind.maxAttempts?.(document) ?? maxAttempts;
  const isPoisonous = blame >= maxBlame && attempts !== Infinity;
  if (isPoisonous || lostLeases >= attempts) return { ...fail(kind, document, 'worker_lost', now), filter };
  return write(document, filter, now, { ...waiting, lostLeases, blame, queuedAt: now });
}

/** The run is stopped on request. Later writes of its worker are refused. */
export function cancel<T extends Runnable>(
  { cleanup }: Cleanup<T>,
  document: T,
  now: number,
  leaseMs: number,
): Transition {
  const filter = { 'run.jobId': document.run.jobId, version: document.version };
  const run = { ...ended, state: 'cancelled', errorCode: null };
  return write(document, filter, now, run, { outbox: cleanup(document, workersStopped(document, now, leaseMs)) });
}

/** When no worker of the current run can still be writing: a worker stops when its lease has expired at the latest. */
export function workersStopped({ run }: Runnable, now: number, leaseMs: number): number {
  return run.lease === null ? now : Math.max(now, run.dueAt ?? now) + leaseMs;
}

/** Whether nothing more happens to the run by itself. */
export function isFinished(run: WorkRun): boolean {
  return run.phase === 'ended';
}

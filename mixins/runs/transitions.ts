import type { Change, Filter, Storable } from '../../adapters/records/port.ts';
import type { Asset, OutboxEntry, RevisionFacts } from '../../models/asset.ts';
import type { JobErrorCode } from '../../models/errors.ts';
import type { Run, Stage } from '../../models/job.ts';

/** A conditional write of an asset's document: it happens only while the filter still matches. */
export interface Transition {
  filter: Filter;
  change: Change;
}

/** Attempts of one stage before a temporary failure becomes final. */
export const maximumAttempts = 8;
/**
 * Blame for workers that were lost in one stage at which a job is taken for poison: three workers that had nothing else
 * in their hands. Who died among four jobs died of a quarter of each, so that workers killed from outside do not make
 * healthy jobs fail; but no job is begun more often than a stage has attempts.
 */
export const maximumBlame = 3;
/** How long a dispatched job may lie unclaimed before it is dispatched again. */
const claimPatienceMs = 60_000;

/**
 * How long the sweeper leaves what a stage owes to the end of the run, which tells it together with what the last stage
 * owes, by one call and one write.
 */
export const outboxPatienceMs = 60_000;
/**
 * How long it leaves what a run owes at its end to the worker that ended it, who tells it at once. Told by both it would
 * be written twice, and each time at once, while others wait for company on their way to the disk.
 */
export const settlingMs = 2000;

/** Facts of a run that has not begun. */
export const noFacts: RevisionFacts = { bytes: 0, sha256: null, passages: 0, warnings: [], duplicateOf: null, embeddingModel: null };

type RunFields = { [K in keyof Run]?: Run[K] };

/** The write that sets fields of the run, may set fields of the asset, and adds to the outbox. An outbox time that is too early does no harm. */
function write(current: Asset, filter: Filter, now: number, run: RunFields, asset: { [path: string]: Storable } = {}, outbox: OutboxEntry[] = [], patienceMs = 0): Transition {
  const set: { [path: string]: Storable } = { ...asset, 'run.updatedAt': now };
  for (const [field, value] of Object.entries(run)) set[`run.${field}`] = value;
  const due = outbox.map((entry) => entry.notBefore + patienceMs);
  // What the stages before have left to the end of the run is not left any longer, also where the last one owes nothing.
  if (run.phase === 'ended' && current.outboxDue !== undefined) due.push(now + settlingMs);
  if (due.length > 0) set['outboxDue'] = Math.min(current.outboxDue ?? Infinity, ...due);
  return { filter, change: { set, increment: { version: 1 }, ...(outbox.length > 0 ? { push: { outbox: outbox } } : {}) } };
}

const byLease = (asset: Asset): Filter => ({ 'run.jobId': asset.run.jobId, 'run.stageSeq': asset.run.stageSeq, 'run.phase': 'working', 'run.lease.token': asset.run.lease?.token ?? -1 });

/** A new run, waiting for its first stage. */
export function newRun(jobId: string, revision: number, now: number): Run {
  return {
    jobId, revision, purpose: 'index', state: 'queued', stage: 'extracting', stageSeq: 1, progress: 0, errorCode: null, attempt: 1, lostLeases: 0, blame: 0,
    token: 0, lease: null, phase: 'waiting', dueAt: null, dispatchedBy: null, queuedAt: now, createdAt: now, updatedAt: now, facts: noFacts,
  };
}

/** The job's turn has come: it goes to the stage's queue. */
export function dispatch(asset: Asset, by: string, now: number): Transition {
  return write(asset, { 'run.jobId': asset.run.jobId, 'run.stageSeq': asset.run.stageSeq, 'run.phase': 'waiting' }, now, { phase: 'dispatched', dispatchedBy: by, dueAt: now + claimPatienceMs });
}

/** It was dispatched and nobody took it (or the queue was lost with its process): its turn comes again. */
export function undispatch(asset: Asset, now: number): Transition {
  return write(asset, { 'run.jobId': asset.run.jobId, 'run.phase': 'dispatched', 'run.dueAt': asset.run.dueAt }, now, { phase: 'waiting', dispatchedBy: null, dueAt: null });
}

/** A worker takes the stage. The token is one higher than the last one given. */
export function claim(asset: Asset, { owner, held }: { owner: string; held: number }, now: number, leaseMs: number): Transition {
  const token = asset.run.token + 1;
  return write(
    asset,
    { 'run.jobId': asset.run.jobId, 'run.stageSeq': asset.run.stageSeq, 'run.phase': { $in: ['dispatched', 'waiting'] }, 'run.token': asset.run.token },
    now,
    { phase: 'working', state: asset.run.stage, token, lease: { token, owner, held }, dueAt: now + leaseMs },
  );
}

/** The worker lives: its lease is renewed, and its progress told. */
export function renew(asset: Asset, { progress, held }: { progress: number; held: number }, now: number, leaseMs: number): Transition {
  return write(asset, byLease(asset), now, { dueAt: now + leaseMs, progress }, { 'run.lease.held': held });
}

/** The stage is done; the next one waits for its turn. What it owes is due at once to whoever looks, and the sweeper looks later. */
export function advance(asset: Asset, next: Stage, facts: RevisionFacts, outbox: OutboxEntry[], now: number): Transition {
  return write(asset, byLease(asset), now, {
    phase: 'waiting', state: 'queued', stage: next, stageSeq: asset.run.stageSeq + 1, progress: 0, attempt: 1, lostLeases: 0, blame: 0, errorCode: null, lease: null, dueAt: null,
    dispatchedBy: null, queuedAt: now, facts,
  }, {}, outbox, outboxPatienceMs);
}

/** Everything is done: the revision becomes the active one, in this one write. */
export function complete(asset: Asset, facts: RevisionFacts, outbox: OutboxEntry[], now: number): Transition {
  const { run: { revision, purpose }, filename, sourceUrl, sourceVersion } = asset;
  // A revision that is only embedded anew or corrected is still made of what the one before was read from.
  const source = purpose === 'index' ? { activeSource: { filename, sourceUrl, sourceVersion } } : {};
  const replaced: OutboxEntry[] = asset.activeRevision === null || asset.activeRevision === revision ? [] : [discardEntry(asset.activeRevision, now)];
  return write(asset, byLease(asset), now,
    { phase: 'ended', state: 'ready', progress: 100, errorCode: null, lease: null, dueAt: null, facts },
    { activeRevision: revision, ...source, facts, embeddedWith: facts.embeddingModel ?? '', updatedAt: now },
    [...outbox, ...replaced], settlingMs);
}

/** A temporary failure: the stage is tried again at `retryAt`, or has failed when its attempts are used up and owes what it did (`outbox`). */
export function putOff(asset: Asset, code: JobErrorCode, retryAt: number, now: number, outbox: OutboxEntry[] = []): Transition {
  if (asset.run.attempt >= maximumAttempts) return fail(asset, code, now, outbox);
  return write(asset, byLease(asset), now, { phase: 'put_off', state: 'retry_scheduled', errorCode: code, dueAt: retryAt, attempt: asset.run.attempt + 1, lease: null });
}

/** The time of the next attempt has come. */
export function resume(asset: Asset, now: number): Transition {
  return write(asset, { 'run.jobId': asset.run.jobId, 'run.phase': 'put_off', 'run.dueAt': asset.run.dueAt }, now, { phase: 'waiting', state: 'queued', dueAt: null, dispatchedBy: null, queuedAt: now });
}

/**
 * The source refused: the job waits for somebody to give access. Refused itself where access was given while the source
 * was being asked: nobody would give it a second time.
 */
export function awaitAccess(asset: Asset, code: JobErrorCode, now: number): Transition {
  return write(asset, { ...byLease(asset), sealedAccess: asset.sealedAccess }, now, { phase: 'paused', state: 'awaiting_source_access', errorCode: code, lease: null, dueAt: null });
}

/** Whether a run waits for access to its source. */
export function awaitsAccess(run: Run): boolean {
  return run.phase === 'paused' && run.state === 'awaiting_source_access';
}

/** Somebody gave access to the source: a run that waited for it waits for its turn again. Its attempts before do not count against it. */
export function withAccess(run: Run, now: number): Run {
  if (!awaitsAccess(run)) return run;
  return { ...run, phase: 'waiting', state: 'queued', errorCode: null, attempt: 1, lostLeases: 0, blame: 0, dueAt: null, dispatchedBy: null, queuedAt: now, updatedAt: now };
}

/** The job stops for good. What the run had laid down is discarded, and what the stage did all the same is owed (`outbox`). */
export function fail(asset: Asset, code: JobErrorCode, now: number, outbox: OutboxEntry[] = []): Transition {
  return write(asset, byLease(asset), now, { phase: 'ended', state: 'failed', errorCode: code, lease: null, dueAt: null }, {}, [...outbox, discardEntry(asset.run.revision, now)], settlingMs);
}

/** A stopping worker gives the stage back; nothing is counted against the job. */
export function handBack(asset: Asset, now: number): Transition {
  return write(asset, byLease(asset), now, { phase: 'waiting', state: 'queued', lease: null, dueAt: null, dispatchedBy: null });
}

/**
 * The organization may begin no more recordings today: the job is held back where it stands, by its worker or before it
 * has one. Nothing is counted against it, and it keeps its place.
 */
export function hold(asset: Asset, now: number): Transition {
  const filter: Filter = asset.run.lease === null ? { 'run.jobId': asset.run.jobId, 'run.stageSeq': asset.run.stageSeq, 'run.phase': 'waiting' } : byLease(asset);
  return write(asset, filter, now, { phase: 'held', state: 'queued', lease: null, dueAt: null, dispatchedBy: null });
}

/** What was held back waits for its turn again. */
export function release(asset: Asset, now: number): Transition {
  return write(asset, { 'run.jobId': asset.run.jobId, 'run.phase': 'held' }, now, { phase: 'waiting' });
}

/** The lease ran out without a word: the stage waits again, or the job is taken for poison. */
export function loseLease(asset: Asset, now: number): Transition {
  const filter: Filter = { ...byLease(asset), 'run.dueAt': asset.run.dueAt };
  const lostLeases = asset.run.lostLeases + 1;
  const blame = (asset.run.blame ?? 0) + 1 / Math.max(1, asset.run.lease?.held ?? 1);
  if (blame >= maximumBlame || lostLeases >= maximumAttempts) return { ...fail(asset, 'worker_lost', now), filter };
  return write(asset, filter, now, { phase: 'waiting', state: 'queued', lease: null, dueAt: null, dispatchedBy: null, lostLeases, blame, queuedAt: now });
}

/** The job is stopped on request. Whatever its worker still does is refused by its next write. */
export function cancel(asset: Asset, now: number, leaseMs: number): Transition {
  return write(asset, { 'run.jobId': asset.run.jobId, version: asset.version }, now, { phase: 'ended', state: 'cancelled', errorCode: null, lease: null, dueAt: null }, {},
    [discardEntry(asset.run.revision, writersGone(asset, now, leaseMs))]);
}

/** When no worker of the current run can still be writing: a worker stops at the latest when its lease has run out. */
export function writersGone(asset: Asset, now: number, leaseMs: number): number {
  return asset.run.lease === null ? now : Math.max(now, asset.run.dueAt ?? now) + leaseMs;
}

/** The outbox entry that removes a revision from index and blobs. */
export function discardEntry(revision: number, notBefore: number): OutboxEntry {
  return { id: `discard:${revision}`, kind: 'discard', revision, notBefore };
}

/**
 * An outbox with the entry that tells the index of new attributes. It is due at once by whatever clock: who changes
 * permissions is answered only when the index knows them. It stands for the entries before it, since it carries the
 * attributes as they are when it is carried out; so an index that is away does not make outboxes grow.
 */
export function withAttributesEntry(outbox: readonly OutboxEntry[], attributesVersion: number): OutboxEntry[] {
  return [...outbox.filter((entry) => entry.kind !== 'attributes'), { id: `attributes:${attributesVersion}`, kind: 'attributes', notBefore: 0 }];
}

/** Whether nothing more will happen to the run by itself. */
export function isFinished(run: Run): boolean {
  return run.phase === 'ended';
}

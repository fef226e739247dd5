import type { Filter } from '../../adapters/records/port.ts';
import type { Asset, OutboxEntry, RevisionFacts } from '../../models/asset.ts';
import type { JobErrorCode } from '../../models/errors.ts';
import type { Run, Stage } from '../../models/job.ts';
import { queuedRun } from '../../models/work.ts';
import * as transitions from '../work/transitions.ts';

/** Facts of a run that has not begun. */
export const noFacts: RevisionFacts = {
  bytes: 0,
  sha256: null,
  passages: 0,
  warnings: [],
  duplicateOf: null,
  embeddingModel: null,
};

/** A new run, waiting for its first stage. */
export function newRun(jobId: string, revision: number, now: number): Run {
  return {
    ...queuedRun(jobId, 'extracting', now),
    revision,
    purpose: 'index',
    facts: noFacts,
  };
}

/** What a run that ends without success leaves to do: its revision is removed from index and blobs. */
export const cleanup: transitions.Cleanup<Asset> = {
  cleanup: ({ run }, notBefore) => [discardEntry(run.revision, notBefore)],
};

/** The stage is done; the next one waits for its turn. */
export function advance(
  asset: Asset,
  next: Stage,
  facts: RevisionFacts,
  outbox: OutboxEntry[],
  now: number,
): transitions.Transition {
  return transitions.advance(asset, next, now, { run: { facts }, outbox });
}

/** Everything is done: the revision becomes the active one, in this one write. */
export function complete(
  asset: Asset,
  facts: RevisionFacts,
  outbox: OutboxEntry[],
  now: number,
): transitions.Transition {
  const {
    run: { revision, purpose },
    filename,
    sourceUrl,
    sourceVersion,
    activeRevision,
  } = asset;
  // A revision that is only embedded again or corrected is still made of what the one before was read from.
  const source = purpose === 'index' ? { activeSource: { filename, sourceUrl, sourceVersion } } : {};
  const replaced = activeRevision === null || activeRevision === revision ? [] : [discardEntry(activeRevision, now)];
  return transitions.complete(asset, 'ready', now, {
    run: { facts },
    document: {
      activeRevision: revision,
      ...source,
      facts,
      embeddedWith: facts.embeddingModel ?? '',
      updatedAt: now,
    },
    outbox: [...outbox, ...replaced],
  });
}

/**
 * The source refused: the job waits for somebody to give access. The transition is refused where access was given while
 * the source was being asked: nobody would give it a second time.
 */
export function awaitAccess(asset: Asset, code: string, now: number): transitions.Transition {
  const unchanged: Filter = { sealedAccess: asset.sealedAccess };
  return transitions.pause(asset, 'awaiting_source_access', code, now, unchanged);
}

/** Whether a run waits for access to its source. */
export function awaitsAccess(run: Run): boolean {
  return run.phase === 'paused' && run.state === 'awaiting_source_access';
}

/** Somebody gave access to the source: a run that waited for it waits for its turn again. */
export function withAccess(run: Run, now: number): Run {
  return awaitsAccess(run) ? { ...run, ...transitions.newAttempts(now) } : run;
}

/** A temporary failure: the stage is tried again at `retryAt`, or the run fails once all attempts are used up. */
export function putOff(
  asset: Asset,
  code: JobErrorCode,
  retryAt: number,
  now: number,
  outbox: OutboxEntry[] = [],
): transitions.Transition {
  return transitions.putOff(cleanup, asset, code, retryAt, now, outbox);
}

/** The job is stopped on request. Later writes of its worker are refused. */
export function cancel(asset: Asset, now: number, leaseMs: number): transitions.Transition {
  return transitions.cancel(cleanup, asset, now, leaseMs);
}

/** The outbox entry that removes a revision from index and blobs. */
export function discardEntry(revision: number, notBefore: number): OutboxEntry {
  return { id: `discard:${revision}`, kind: 'discard', revision, notBefore };
}

/**
 * An outbox with the entry that updates the attributes in the index. It is due at once by any clock: a change of
 * permissions is answered only when the index has it. It replaces earlier ones, because it carries the attributes as
 * they are when it is delivered; so an index that is away does not make outboxes grow.
 */
export function withAttributesEntry(outbox: readonly OutboxEntry[], attributesVersion: number): OutboxEntry[] {
  return [
    ...outbox.filter((entry) => entry.kind !== 'attributes'),
    { id: `attributes:${attributesVersion}`, kind: 'attributes', notBefore: 0 },
  ];
}

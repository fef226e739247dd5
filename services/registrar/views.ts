import { isoTime } from '../../models/runtime.ts';
import type { AssetView, JobView, LatestJobView } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import type { Run } from '../../models/job.ts';

/** A run as the API shows a job. */
export function jobView(assetId: string, run: Run): JobView {
  return {
    jobId: run.jobId,
    assetId,
    revision: run.revision,
    state: run.state,
    stage: run.stage,
    progress: run.progress,
    errorCode: run.errorCode,
    retryAt: run.phase === 'put_off' ? isoTime(run.dueAt) : null,
    attempt: run.attempt,
    createdAt: isoTime(run.createdAt),
    updatedAt: isoTime(run.updatedAt),
  };
}

function latestJobView(run: Run): LatestJobView {
  return {
    jobId: run.jobId,
    state: run.state,
    stage: run.stage,
    progress: run.progress,
    errorCode: run.errorCode,
    attempt: run.attempt,
    updatedAt: isoTime(run.updatedAt),
  };
}

/** The state of the latest revision. */
function revisionState(run: Run): AssetView['revisionState'] {
  switch (run.state) {
    case 'ready':
    case 'failed':
    case 'cancelled':
    case 'awaiting_source_access':
      return run.state;
    default:
      return 'indexing';
  }
}

/** The state of the asset: with an active revision it stays ready when a newer one is cancelled. */
function assetState(asset: Asset): AssetView['state'] {
  if (asset.deletedAt !== null) return 'deleting';
  const state = revisionState(asset.run);
  if (state !== 'cancelled') return state;
  return asset.activeRevision === null ? 'failed' : 'ready';
}

function accessMode(asset: Asset): AssetView['sourceAccessMode'] {
  if (asset.callbackKey !== null) return 'renewable';
  return asset.sealedAccess === null ? null : 'stored';
}

/**
 * An asset in the form of lists. `collections` are the externalIds of its collections, `connectorName` is the name of
 * its connector.
 */
export function assetView(asset: Asset, collections: string[], connectorName: string | null): AssetView {
  return {
    assetId: asset._id,
    externalId: asset.externalId,
    filename: asset.filename,
    kind: asset.kind,
    sourceUrl: asset.sourceUrl,
    sourceVersion: asset.sourceVersion,
    state: assetState(asset),
    activeRevision: asset.activeRevision,
    latestRevision: asset.latestRevision,
    revisionState: revisionState(asset.run),
    language: asset.language,
    audioTrack: asset.audioTrack,
    collections,
    callbackKey: asset.callbackKey,
    // The type that was read from the source; until then the registered one.
    contentSha256: asset.run.facts.sha256 ?? asset.contentSha256,
    connectorId: asset.connectorId,
    connectorName,
    bucketId: asset.bucketId,
    sourceAccessMode: accessMode(asset),
    sourceMissingSince: isoTime(asset.sourceMissingSince),
    metadata: asset.metadata,
    aclMode: asset.aclMode,
    extractContentFromVideoFrames: asset.extractContentFromVideoFrames,
    latestJob: latestJobView(asset.run),
    createdAt: isoTime(asset.createdAt),
    updatedAt: isoTime(asset.updatedAt),
  };
}

/** Whether a reader with these principals may see the asset. */
export function isVisibleTo(asset: Asset, principals: readonly string[]): boolean {
  return asset.aclMode === 'open' || principals.some((principal) => asset.principals.includes(principal));
}

import { assetFolder } from '../../mixins/blobs/derived.ts';
import { newRun } from '../../mixins/indexing/runs.ts';
import { workersStopped } from '../../mixins/work/transitions.ts';
import type { Accepted, Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { withMembership } from '../../models/library-collection.ts';
import { scopeOf } from '../../models/scope.ts';
import type { Registrar } from './registrar.ts';

/** Milliseconds before a removal that failed is tried again. */
const removalPauseMs = 30_000;

/**
 * Deletes an asset and starts the job that removes everything derived from it. From the answer on the asset is unknown
 * and its externalId is free.
 */
export async function removeAsset(
  registrar: Registrar,
  caller: Pick<Caller, 'organizationId'>,
  assetId: string,
): Promise<Accepted> {
  const { app } = registrar;
  const jobId = app.runtime.uuid();
  const now = app.runtime.now();
  const asset = await registrar.modify(caller.organizationId, assetId, (read) => {
    const { externalKey: _freed, ...rest } = read;
    const quiet = workersStopped(read, app.records.time(), app.configuration.PLY_LEASE_SECONDS * 1000);
    return {
      ...rest,
      deletedAt: now,
      updatedAt: now,
      collections: [],
      outbox: withMembership(read.outbox, read.collections, [], read.attributesVersion + 1),
      attributesVersion: read.attributesVersion + 1,
      run: {
        ...newRun(jobId, read.latestRevision, now),
        purpose: 'remove',
        state: 'deleting',
        stage: 'deleting',
        phase: 'removing',
        dueAt: quiet,
      },
    };
  });
  await registrar.drainSoon(asset);
  await removePassages(registrar, asset).catch((error: unknown) =>
    app.log.warn({ err: error, assetId }, 'removing the passages failed, the removal will retry'),
  );
  registrar.changed(caller.organizationId);
  return { assetId, jobId, revision: asset.latestRevision };
}

function hasUndeliveredUsage(asset: Asset): boolean {
  return asset.outbox.some((entry) => entry.kind === 'usage');
}

function removePassages(registrar: Registrar, asset: Asset): Promise<void> {
  return registrar.app.passages.removeFile(scopeOf(asset.organizationId), asset._id);
}

/**
 * The second part of a removal, when no worker can still be writing: index, blobs, history, source versions, and last
 * the document. Each step may be repeated. Undelivered usage is recorded first; entries that are not due yet make the
 * removal wait.
 */
async function carryOutRemoval(registrar: Registrar, asset: Asset): Promise<void> {
  const { assets, archive, versions } = registrar.of(asset.organizationId);
  const { members } = registrar.groups(asset.organizationId);
  if (hasUndeliveredUsage(asset)) {
    await registrar.drain(asset);
    const drained = await assets.get(asset._id);
    if (drained !== null && hasUndeliveredUsage(drained)) return;
  }
  await removePassages(registrar, asset);
  if (asset.run.stage === 'deleting') {
    await assets.update(
      asset._id,
      { 'run.jobId': asset.run.jobId },
      {
        set: { 'run.stage': 'cleanup', 'run.state': 'cleanup', 'run.updatedAt': registrar.app.runtime.now() },
        increment: { version: 1 },
      },
    );
  }
  await registrar.app.blobs.remove(assetFolder(asset.organizationId, asset._id));
  while ((await archive.removeMany({ assetId: asset._id }, 500)) > 0);
  while ((await versions.removeMany({ assetId: asset._id }, 500)) > 0);
  while ((await members.removeMany({ assetId: asset._id }, 500)) > 0);
  await assets.remove(asset._id, { 'run.jobId': asset.run.jobId });
}

/**
 * Finishes a due removal. One that fails is logged and postponed, so that it does not block others.
 * @throws StoreUnavailable if the records are unavailable
 */
export async function finishRemoval(registrar: Registrar, asset: Asset): Promise<void> {
  const { app } = registrar;
  try {
    await carryOutRemoval(registrar, asset);
  } catch (error) {
    app.log.warn({ err: error, assetId: asset._id }, 'a removal failed, will retry');
    await registrar
      .of(asset.organizationId)
      .assets.update(
        asset._id,
        { 'run.jobId': asset.run.jobId },
        { set: { 'run.dueAt': app.records.time() + removalPauseMs }, increment: { version: 1 } },
      );
  }
}

import { assetFolder } from '../../mixins/blobs/derived.ts';
import { newRun, writersGone } from '../../mixins/runs/transitions.ts';
import type { Accepted, Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { withMembership } from '../../models/library-collection.ts';
import { scopeOf } from '../../models/scope.ts';
import type { Registrar } from './registrar.ts';

/** How long a removal that failed is left alone. */
const removalPauseMs = 30_000;

/**
 * Takes an asset away at once, and starts the job that removes what was made of it. From the answer on the asset is
 * unknown and its externalId is free.
 */
export async function removeAsset(registrar: Registrar, caller: Pick<Caller, 'organizationId'>, assetId: string): Promise<Accepted> {
  const { house } = registrar;
  const jobId = house.ambient.uuid();
  const now = house.ambient.now();
  const asset = await registrar.modify(caller.organizationId, assetId, (read) => {
    const { externalKey: _freed, ...rest } = read;
    const quiet = writersGone(read, house.records.time(), house.configuration.PLY_LEASE_SECONDS * 1000);
    return {
      ...rest, deletedAt: now, updatedAt: now, collections: [], outbox: withMembership(read.outbox, read.collections, [], read.attributesVersion + 1), attributesVersion: read.attributesVersion + 1,
      run: { ...newRun(jobId, read.latestRevision, now), purpose: 'remove', state: 'deleting', stage: 'deleting', phase: 'removing', dueAt: quiet },
    };
  });
  await registrar.drainSoon(asset);
  await forgetPassages(registrar, asset).catch((error: unknown) => house.log.warn({ err: error, assetId }, 'the removal goes on later'));
  registrar.changed(caller.organizationId);
  return { assetId, jobId, revision: asset.latestRevision };
}

function owesUsage(asset: Asset): boolean {
  return asset.outbox.some((entry) => entry.kind === 'usage');
}

function forgetPassages(registrar: Registrar, asset: Asset): Promise<void> {
  return registrar.house.passages.removeFile(scopeOf(asset.organizationId), asset._id);
}

/**
 * The second part of a removal, when no worker can still be writing: index, blobs, history, and last the document. Each
 * step may be repeated. Usage that the asset still owes is told first; what is not due yet makes the removal wait.
 */
async function carryOutRemoval(registrar: Registrar, asset: Asset): Promise<void> {
  const { assets, archive } = registrar.of(asset.organizationId);
  const { members } = registrar.groups(asset.organizationId);
  if (owesUsage(asset)) {
    await registrar.drain(asset);
    const drained = await assets.get(asset._id);
    if (drained !== null && owesUsage(drained)) return;
  }
  await forgetPassages(registrar, asset);
  if (asset.run.stage === 'deleting') {
    await assets.update(asset._id, { 'run.jobId': asset.run.jobId }, { set: { 'run.stage': 'cleanup', 'run.state': 'cleanup', 'run.updatedAt': registrar.house.ambient.now() }, increment: { version: 1 } });
  }
  await registrar.house.blobs.remove(assetFolder(asset.organizationId, asset._id));
  while ((await archive.removeMany({ assetId: asset._id }, 500)) > 0);
  while ((await members.removeMany({ assetId: asset._id }, 500)) > 0);
  await assets.remove(asset._id, { 'run.jobId': asset.run.jobId });
}

/**
 * Ends a removal whose time has come. One that fails is logged and put off, so that it does not stand in the way of others.
 * @throws where the records are away
 */
export async function finishRemoval(registrar: Registrar, asset: Asset): Promise<void> {
  const { house } = registrar;
  try {
    await carryOutRemoval(registrar, asset);
  } catch (error) {
    house.log.warn({ err: error, assetId: asset._id }, 'a removal goes on later');
    await registrar.of(asset.organizationId).assets.update(asset._id, { 'run.jobId': asset.run.jobId }, { set: { 'run.dueAt': house.records.time() + removalPauseMs }, increment: { version: 1 } });
  }
}

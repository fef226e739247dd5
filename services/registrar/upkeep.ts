import { assetFolder, derivedFolder } from '../../mixins/blobs/derived.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { isFinished } from '../../mixins/runs/transitions.ts';
import { assets as assetsDefinition } from '../../models/asset.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import type { Registrar } from './registrar.ts';
import { finishRemoval } from './remove.ts';

const removalIntervalMs = 1000;
const removalsAtOnce = 20;

/** Ends the removals whose time has come, every second. Several processes may do so; each step is idempotent. */
export function removalIntake(registrar: Registrar): Intake {
  const { house } = registrar;
  return periodicIntake({
    name: 'removals',
    everyMs: removalIntervalMs,
    round: async (isStopping) => {
      const due = await house.records.collection(assetsDefinition, systemScope).find({
        filter: { 'run.phase': 'removing', 'run.dueAt': { $lte: house.records.time() } }, sort: [['run.dueAt', 1]], limit: removalsAtOnce,
      });
      for (const asset of due) {
        if (isStopping()) return;
        await finishRemoval(registrar, asset);
      }
    },
    failed: (error) => house.log.warn({ err: error }, 'removals go on later'),
  });
}

/**
 * A search met passages of a revision that is not the active one, or a worker woke up and found it taken from it. Usually that is a switch under way; what a worker
 * left behind that came back after its job had ended is discarded here.
 */
export async function repairStaleRevision(registrar: Registrar, stale: { organizationId: string; assetId: string; revision: number }): Promise<void> {
  const { house } = registrar;
  const asset = await registrar.of(stale.organizationId).assets.get(stale.assetId);
  const scope = scopeOf(stale.organizationId);
  if (asset === null) {
    await house.passages.removeFile(scope, stale.assetId);
    await house.blobs.remove(assetFolder(stale.organizationId, stale.assetId));
    return;
  }
  const isWanted = asset.activeRevision === stale.revision || (asset.run.revision === stale.revision && !isFinished(asset.run));
  if (isWanted || asset.deletedAt !== null || asset.outbox.length > 0) return;
  house.log.info({ ...stale }, 'a left-over revision is discarded from the index');
  await house.passages.discard(scope, stale.assetId, stale.revision);
  await house.blobs.remove(derivedFolder(stale.organizationId, stale.assetId, stale.revision));
}

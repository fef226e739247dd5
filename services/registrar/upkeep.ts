import { assetFolder, derivedFolder } from '../../mixins/blobs/derived.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { isFinished } from '../../mixins/work/transitions.ts';
import { assets as assetsDefinition } from '../../models/asset.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import type { Registrar } from './registrar.ts';
import { finishRemoval } from './remove.ts';

const removalIntervalMs = 1000;
const removalsAtOnce = 20;

/** Finishes due removals every second. Several processes may run it at once: each step is idempotent. */
export function removalIntake(registrar: Registrar): Intake {
  const { app } = registrar;
  return periodicIntake({
    name: 'removals',
    everyMs: removalIntervalMs,
    round: async (isStopping) => {
      const due = await app.records.collection(assetsDefinition, systemScope).find({
        filter: { 'run.phase': 'removing', 'run.dueAt': { $lte: app.records.time() } },
        sort: [['run.dueAt', 1]],
        limit: removalsAtOnce,
      });
      for (const asset of due) {
        if (isStopping()) return;
        await finishRemoval(registrar, asset);
      }
    },
    failed: (error) => app.log.warn({ err: error }, 'removals failed, will retry'),
  });
}

/**
 * Handles a report that a search found passages of a revision that is not the active one, or that a worker lost its
 * job. Usually a new revision is just becoming active. Passages that a worker wrote after its job had ended are
 * removed.
 */
export async function repairStaleRevision(
  registrar: Registrar,
  stale: { organizationId: string; assetId: string; revision: number },
): Promise<void> {
  const { app } = registrar;
  const asset = await registrar.of(stale.organizationId).assets.get(stale.assetId);
  const scope = scopeOf(stale.organizationId);
  if (asset === null) {
    await app.passages.removeFile(scope, stale.assetId);
    await app.blobs.remove(assetFolder(stale.organizationId, stale.assetId));
    return;
  }
  const isWanted =
    asset.activeRevision === stale.revision || (asset.run.revision === stale.revision && !isFinished(asset.run));
  if (isWanted || asset.deletedAt !== null || asset.outbox.length > 0) return;
  app.log.info({ ...stale }, 'removing a leftover revision from the index');
  await app.passages.discard(scope, stale.assetId, stale.revision);
  await app.blobs.remove(derivedFolder(stale.organizationId, stale.assetId, stale.revision));
}

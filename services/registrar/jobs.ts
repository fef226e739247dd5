import { requireQuota } from '../../mixins/accounts/quota.ts';
import { recordEnded } from '../../mixins/indexing/kind.ts';
import { cancel } from '../../mixins/indexing/runs.ts';
import { isFinished } from '../../mixins/work/transitions.ts';
import type { Accepted, Caller, JobView } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { Refusal } from '../../models/errors.ts';
import type { Run } from '../../models/job.ts';
import { quotaOfKind } from '../../models/quota-count.ts';
import { startRun } from './register.ts';
import type { Registrar } from './registrar.ts';
import { jobView } from './views.ts';

/** Maximum number of runs in a list. */
const listedRuns = 1000;

/** Finds a run in its asset or in the history. @throws Refusal job_not_found */
async function findRun(
  registrar: Registrar,
  organizationId: string,
  jobId: string,
): Promise<{ asset: Asset; run: Run }> {
  const { assets, archive } = registrar.of(organizationId);
  const [current] = await assets.find({ filter: { 'run.jobId': jobId }, limit: 1 });
  if (current !== undefined) return { asset: current, run: current.run };
  const archived = await archive.get(jobId);
  const asset = archived === null ? null : await assets.get(archived.assetId);
  if (archived === null || asset === null || asset.deletedAt !== null) throw new Refusal('job_not_found');
  return { asset, run: asset.run.jobId === jobId ? asset.run : archived.run };
}

/** One job. @throws Refusal job_not_found */
export async function readJob(registrar: Registrar, caller: Caller, jobId: string): Promise<JobView> {
  const { asset, run } = await findRun(registrar, caller.organizationId, jobId);
  return jobView(asset._id, run);
}

/** Every run of an asset, newest first. @throws Refusal asset_not_found */
export async function listJobs(registrar: Registrar, caller: Caller, assetId: string): Promise<{ items: JobView[] }> {
  const asset = await registrar.present(caller.organizationId, assetId);
  const { archive } = registrar.of(caller.organizationId);
  const earlier = await archive.find({
    filter: { assetId },
    sort: [
      ['run.createdAt', -1],
      ['_id', -1],
    ],
    limit: listedRuns,
  });
  const others = earlier.filter((archived) => archived._id !== asset.run.jobId).map((archived) => archived.run);
  return { items: [asset.run, ...others].sort((a, b) => b.revision - a.revision).map((run) => jobView(assetId, run)) };
}

/** Stops a job that is not finished. @throws Refusal job_not_found, job_not_cancellable */
export async function cancelJob(
  registrar: Registrar,
  caller: Caller,
  jobId: string,
): Promise<{ jobId: string; state: 'cancelled' }> {
  const { assets } = registrar.of(caller.organizationId);
  for (;;) {
    const { asset, run } = await findRun(registrar, caller.organizationId, jobId);
    if (asset.run.jobId !== jobId || isFinished(run) || run.purpose === 'remove')
      throw new Refusal('job_not_cancellable');
    const { filter, change } = cancel(
      asset,
      registrar.app.records.time(),
      registrar.app.configuration.PLY_LEASE_SECONDS * 1000,
    );
    const cancelled = await assets.update(asset._id, filter, change);
    if (cancelled !== null) {
      recordEnded(registrar.app, cancelled, cancelled.run);
      registrar.changed(caller.organizationId);
      return { jobId, state: 'cancelled' };
    }
  }
}

/**
 * Indexes an asset again as its next revision; the active one stays searchable meanwhile. @throws Refusal
 * asset_not_found, asset_busy, quota_exceeded
 */
export async function reindex(registrar: Registrar, caller: Caller, assetId: string, jobId: string): Promise<Accepted> {
  const { assets, archive } = registrar.of(caller.organizationId);
  for (;;) {
    const asset = await registrar.present(caller.organizationId, assetId);
    const again = asset.run.jobId === jobId ? asset.run : (await archive.get(jobId))?.run;
    if (again !== undefined) return { assetId, jobId, revision: again.revision };
    if (!isFinished(asset.run)) throw new Refusal('asset_busy');
    await requireQuota(registrar.app, caller.accountId, [quotaOfKind(asset.kind)]);
    const started = await startRun(registrar, assets, archive, asset, jobId, {}, registrar.app.runtime.now());
    if (started === null) continue;
    registrar.changed(caller.organizationId);
    return { assetId, jobId, revision: started.latestRevision };
  }
}

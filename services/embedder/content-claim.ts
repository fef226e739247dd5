import type { AppContext } from '../../mixins/app-context.ts';
import { isFinished } from '../../mixins/work/transitions.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import { archivedRuns, contentClaims, type ContentClaim, type Run } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';

/** The run of a claim, current or archived; null where it was deleted with its asset. */
async function runOf(app: AppContext, claim: ContentClaim): Promise<Run | null> {
  const asset = await app.records.collection(assetsDefinition, systemScope).get(claim.assetId);
  if (asset?.run.jobId === claim.jobId) return asset.run;
  return (await app.records.collection(archivedRuns, systemScope).get(claim.jobId))?.run ?? null;
}

/**
 * Claims a content for a run, once within the account: only the run with the claim is charged. Repeatable. The claim of
 * a run that ended without becoming ready passes to the next one, since it was never charged; the claim of a run that
 * was deleted with its asset does not.
 * @returns the id of the asset with the claim, or null where it is this run's own
 */
export async function claimContent(app: AppContext, asset: Asset): Promise<string | null> {
  const {
    jobId,
    facts: { sha256 },
  } = asset.run;
  if (sha256 === null) return null;
  const claims = app.records.collection(contentClaims, systemScope);
  const id = `${asset.accountId}:${sha256}`;
  for (;;) {
    const inserted = await claims.insertNew([{ _id: id, accountId: asset.accountId, assetId: asset._id, jobId }]);
    const claim = inserted.length > 0 ? null : await claims.get(id);
    if (claim === null || claim.jobId === jobId) return null;
    const run = await runOf(app, claim);
    if (run === null || !isFinished(run) || run.state === 'ready') return claim.assetId;
    const updated = await claims.update(id, { jobId: claim.jobId }, { set: { jobId, assetId: asset._id } });
    if (updated !== null) return null;
  }
}

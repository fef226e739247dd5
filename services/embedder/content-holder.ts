import type { House } from '../../mixins/house.ts';
import { isFinished } from '../../mixins/runs/transitions.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import { archivedRuns, contentHolders, type ContentHolder, type Run } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';

/** How a holder's run stands, wherever it is kept; null where it is gone with its asset. */
async function runOf(house: House, holder: ContentHolder): Promise<Run | null> {
  const asset = await house.records.collection(assetsDefinition, systemScope).get(holder.assetId);
  if (asset?.run.jobId === holder.jobId) return asset.run;
  return (await house.records.collection(archivedRuns, systemScope).get(holder.jobId))?.run ?? null;
}

/**
 * Makes a run the holder of its content within the account, where nobody is: the holder alone is charged.
 * A stage that is done again finds itself. A holder whose run ended without becoming ready was never charged, and gives
 * its place up; one that is gone with its asset was.
 * @returns the id of the asset that holds the content, or null where the run itself does
 */
export async function holdContent(house: House, asset: Asset): Promise<string | null> {
  const { jobId, facts: { sha256 } } = asset.run;
  if (sha256 === null) return null;
  const holders = house.records.collection(contentHolders, systemScope, 'patient');
  const id = `${asset.accountId}:${sha256}`;
  for (;;) {
    const inserted = await holders.insertNew([{ _id: id, accountId: asset.accountId, assetId: asset._id, jobId }]);
    const holder = inserted.length > 0 ? null : await holders.get(id);
    if (holder === null || holder.jobId === jobId) return null;
    const run = await runOf(house, holder);
    if (run === null || !isFinished(run) || run.state === 'ready') return holder.assetId;
    const taken = await holders.update(id, { jobId: holder.jobId }, { set: { jobId, assetId: asset._id } });
    if (taken !== null) return null;
  }
}

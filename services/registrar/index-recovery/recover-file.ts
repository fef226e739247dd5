import { derivedFolder } from '../../../mixins/blobs/derived.ts';
import { attributesOf } from '../../../mixins/indexing/outbox.ts';
import { isFinished } from '../../../mixins/work/transitions.ts';
import type { Asset } from '../../../models/asset.ts';
import { scopeOf } from '../../../models/scope.ts';
import { textNames } from '../../../models/transcript.ts';
import { startReembedding } from '../reembed.ts';
import type { Registrar } from '../registrar.ts';

/** Milliseconds before a file whose recovery failed is tried again. */
const pauseAfterFailureMs = 3_600_000;

/**
 * The state of a file in the index. `complete`: it has all passages. The others lack some. `started`: a job was started
 * to add them. `underWay`: a running job will add them. `unrecoverable`: the stored text does not allow a job.
 */
export type FileState = 'complete' | 'started' | 'underWay' | 'unrecoverable';

/** Whether the text of the active revision is stored. */
async function hasText(
  { app: { blobs } }: Registrar,
  { organizationId, _id: assetId, kind }: Asset,
  revision: number,
): Promise<boolean> {
  const folder = derivedFolder(organizationId, assetId, revision);
  for (const name of textNames(kind)) if (await blobs.exists(`${folder}${name}`)) return true;
  return false;
}

/**
 * Compares a file's active revision with the index. Missing passages are indexed again from the stored text, as after a
 * change of the embedding model: the source is not read, and nothing is charged a second time.
 * @param isOlder whether the index may contain outdated permissions and metadata of the file: then they are written
 * again
 */
export async function recoverFile(
  registrar: Registrar,
  organizationId: string,
  assetId: string,
  isOlder: boolean,
): Promise<FileState> {
  const { app } = registrar;
  const scope = scopeOf(organizationId);
  const asset = await registrar.of(organizationId).assets.get(assetId);
  if (asset === null || asset.deletedAt !== null || asset.activeRevision === null) return 'complete';
  if ((await app.passages.countOf(scope, assetId, asset.activeRevision)) >= (asset.facts?.passages ?? 0)) {
    if (isOlder) await app.passages.setAttributes(scope, attributesOf(asset));
    return 'complete';
  }
  const { run } = asset;
  if (!isFinished(run)) return run.phase === 'paused' || run.phase === 'held' ? 'unrecoverable' : 'underWay';
  if (run.purpose === 'reembed' && run.state !== 'ready' && app.records.time() - run.updatedAt < pauseAfterFailureMs)
    return 'unrecoverable';
  if (!(await hasText(registrar, asset, asset.activeRevision))) return 'unrecoverable';
  return (await startReembedding(registrar, asset)) ? 'started' : 'underWay';
}

import { derivedFolder } from '../../../mixins/blobs/derived.ts';
import { attributesOf } from '../../../mixins/runs/outbox.ts';
import { isFinished } from '../../../mixins/runs/transitions.ts';
import type { Asset } from '../../../models/asset.ts';
import { scopeOf } from '../../../models/scope.ts';
import { textNames } from '../../../models/transcript.ts';
import { embedAnew } from '../reembed.ts';
import type { Registrar } from '../registrar.ts';

/** How long a file that could not be made anew is left alone, in milliseconds. */
const pauseAfterFailureMs = 3_600_000;

/**
 * How a file stands in the index: all its passages are there; it lacks some, and was given a job; it lacks some, and its job
 * under way will bring them; it lacks some, and no job can be made of what is kept.
 */
export type FileState = 'whole' | 'started' | 'underWay' | 'unmended';

/** Whether the text is kept that the active revision was made of. */
async function hasText({ house: { blobs } }: Registrar, { organizationId, _id: assetId, kind }: Asset, revision: number): Promise<boolean> {
  const folder = derivedFolder(organizationId, assetId, revision);
  for (const name of textNames(kind)) if (await blobs.exists(`${folder}${name}`)) return true;
  return false;
}

/**
 * Holds a file's active revision against the index. What it lacks is made anew, as after a change of the embedding model,
 * from the kept text: the source is not read, and nothing is charged a second time. `isOlder`: the index may have been told
 * of the file's permissions and metadata before they were changed; it is told once more.
 */
export async function mendFile(registrar: Registrar, organizationId: string, assetId: string, isOlder: boolean): Promise<FileState> {
  const { house } = registrar;
  const scope = scopeOf(organizationId);
  const asset = await registrar.of(organizationId).assets.get(assetId);
  if (asset === null || asset.deletedAt !== null || asset.activeRevision === null) return 'whole';
  if ((await house.passages.countOf(scope, assetId, asset.activeRevision)) >= (asset.facts?.passages ?? 0)) {
    if (isOlder) await house.passages.setAttributes(scope, attributesOf(asset));
    return 'whole';
  }
  const { run } = asset;
  if (!isFinished(run)) return run.phase === 'paused' || run.phase === 'held' ? 'unmended' : 'underWay';
  if (run.purpose === 'reembed' && run.state !== 'ready' && house.records.time() - run.updatedAt < pauseAfterFailureMs) return 'unmended';
  if (!(await hasText(registrar, asset, asset.activeRevision))) return 'unmended';
  return (await embedAnew(registrar, asset)) ? 'started' : 'underWay';
}

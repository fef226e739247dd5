import { derivedFolder } from '../../mixins/blobs/derived.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Asset } from '../../models/asset.ts';
import { correctionName, derivedNames } from '../../models/transcript.ts';

/**
 * Copies the text of a revision that is not read from its source: a reembedding run takes that of the active revision,
 * a correction the transcript written when it was accepted and the rest from the active revision. Repeatable. The
 * folder is this run's alone: text that an earlier run copied could be another run's by now.
 */
export async function copyText({ blobs }: Pick<AppContext, 'blobs'>, asset: Asset, signal: AbortSignal): Promise<void> {
  const { organizationId, _id: assetId, activeRevision, run } = asset;
  if (activeRevision === null || (run.purpose !== 'reembed' && run.purpose !== 'correct')) return;
  const active = derivedFolder(organizationId, assetId, activeRevision);
  const own = derivedFolder(organizationId, assetId, run.revision);
  const copy = async (from: string, to: string): Promise<boolean> => {
    signal.throwIfAborted();
    if (!(await blobs.exists(from))) return false;
    await blobs.write(to, blobs.read(from));
    return true;
  };
  const { blocks, transcript, slides, uncorrected } = derivedNames;
  if (asset.kind !== 'document') await copy(`${active}${slides}`, `${own}${slides}`);
  if (run.purpose === 'reembed') {
    const names = asset.kind === 'document' ? [blocks] : [transcript, uncorrected];
    for (const name of names) await copy(`${active}${name}`, `${own}${name}`);
    return;
  }
  if (!(await copy(`${active}${uncorrected}`, `${own}${uncorrected}`)))
    await copy(`${active}${transcript}`, `${own}${uncorrected}`);
  const correction = `${own}${correctionName(run.jobId)}`;
  if (await copy(correction, `${own}${transcript}`)) await blobs.remove(correction);
  else if (!(await blobs.exists(`${own}${transcript}`)))
    throw new Error('the corrected transcript of the run is missing');
}

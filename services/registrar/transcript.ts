import { derivedKey } from '../../mixins/blocks/blocks.ts';
import { isFinished } from '../../mixins/runs/transitions.ts';
import { readTranscript as readSegments, writeTranscript } from '../../mixins/transcript/transcript.ts';
import type { Accepted, Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { Refusal } from '../../models/errors.ts';
import { correctionName, derivedNames, type Segment, type SegmentEdit, type StoredTranscript } from '../../models/transcript.ts';
import { presentTo } from './lists.ts';
import { startRun } from './register.ts';
import type { Registrar } from './registrar.ts';

/** Segment ids that a refusal names at most. */
const namedIds = 5;

function keyOf(asset: Asset, revision: number, name: string): string {
  return derivedKey(asset.organizationId, asset._id, revision, name);
}

function isGone(error: unknown): boolean {
  return error instanceof Error && error.name === 'BlobNotFound';
}

/** The revision whose transcript is shown. @throws Refusal transcript_not_ready */
function shownRevision(asset: Asset): number {
  if (asset.kind === 'document') throw new Refusal('transcript_not_ready', { detail: 'A document has no transcript.' });
  if (asset.activeRevision === null) throw new Refusal('transcript_not_ready', { detail: 'The recording has not been indexed yet; its job tells how it stands.' });
  return asset.activeRevision;
}

/** Where the transcript of the active revision is kept, if the reader may see the asset. @throws Refusal asset_not_found, transcript_not_ready */
export async function readTranscript(registrar: Registrar, caller: Caller, assetId: string, asReader: boolean, principals: readonly string[] | null): Promise<StoredTranscript> {
  for (;;) {
    const asset = await presentTo(registrar, caller, assetId, asReader, principals);
    const revision = shownRevision(asset);
    const key = keyOf(asset, revision, derivedNames.transcript);
    const told = { revision, warnings: asset.facts?.warnings ?? [] };
    if (await registrar.house.blobs.exists(key)) return { ...told, key };
    // It was replaced in between, or nothing was heard in the recording.
    if ((await registrar.present(caller.organizationId, assetId)).activeRevision === revision) return { ...told, key: null };
  }
}

/** What a correction is made to: a revision's transcript, by the names that it may have, of which the first that is there counts. */
interface Base {
  revision: number;
  names: readonly string[];
}

/**
 * The transcript that a correction starts from. The latest revision is the one that counts; but one that came to nothing,
 * or that is only embedded anew, did not change the text, so that the revision which is shown counts as well.
 * @throws Refusal transcript_not_ready, revision_conflict
 */
function baseOf(asset: Asset, revision: number): Base {
  const active = { revision: shownRevision(asset), names: [derivedNames.transcript] };
  const { run, latestRevision } = asset;
  const isFruitless = isFinished(run) && run.state !== 'ready';
  const isSameText = isFruitless || run.purpose === 'reembed';
  if (revision !== latestRevision && !(isSameText && revision === active.revision)) {
    throw new Refusal('revision_conflict', { detail: `The latest revision is ${latestRevision}. Read the transcript again once its job is done.` });
  }
  if (isFinished(run) || isSameText) return active;
  // A correction that is still being indexed: the next one goes on from it.
  if (run.purpose === 'correct') return { revision: latestRevision, names: [correctionName(run.jobId), derivedNames.transcript] };
  throw new Refusal('transcript_not_ready', { detail: `Revision ${latestRevision} is being indexed; its job tells how it stands.` });
}

/** The segments of a base; none where it has no transcript. */
async function* segmentsOf(registrar: Registrar, asset: Asset, base: Base): AsyncGenerator<Segment> {
  for (const name of base.names) {
    try {
      yield* readSegments(registrar.house.blobs, keyOf(asset, base.revision, name));
      return;
    } catch (error) {
      // It was renamed, or nothing was heard; or it was replaced, and then the asset's document has changed.
      if (!isGone(error)) throw error;
    }
  }
}

/**
 * Segments with their corrections: a corrected one keeps its times and loses those of its words.
 * @throws Refusal invalid_segment_ids at the end, where corrections are left over
 */
async function* corrected(segments: AsyncIterable<Segment>, texts: ReadonlyMap<string, string>): AsyncGenerator<Segment> {
  const left = new Set(texts.keys());
  for await (const segment of segments) {
    const text = texts.get(segment.id);
    left.delete(segment.id);
    yield text === undefined || text === segment.text ? segment : { ...segment, text, words: [], timingPrecision: 'segment' };
  }
  if (left.size === 0) return;
  const named = [...left].slice(0, namedIds).map((id) => JSON.stringify(id)).join(', ');
  throw new Refusal('invalid_segment_ids', { detail: `The transcript has no segment ${named}${left.size > namedIds ? ` and ${left.size - namedIds} more` : ''}.` });
}

/** A correction as it is asked for: of which revision, what, and the id of the job that is to index it. */
export interface Correction {
  revision: number;
  /** Of several of one segment the last counts. */
  edits: readonly SegmentEdit[];
  jobId: string;
}

/** A corrected transcript that was written for a run which may not come to be. */
interface Written {
  key: string;
  base: number;
}

/** Removes what was written for nothing. Where that fails, it goes with the revision in whose folder it lies. */
async function forget(registrar: Registrar, written: Written | null): Promise<void> {
  if (written === null) return;
  const { blobs, log } = registrar.house;
  await blobs.remove(written.key).catch((error: unknown) => log.warn({ err: error, key: written.key }, 'a refused correction is left behind'));
}

/** Whether another run has come in between: then a transcript that was not found, or lacked segments, says nothing. */
async function hasMovedOn(registrar: Registrar, read: Asset): Promise<boolean> {
  const now = await registrar.present(read.organizationId, read._id);
  return now.run.jobId !== read.run.jobId || now.run.state !== read.run.state;
}

/** Writes the corrected transcript unless that was done from the same base under the same name: a revision's text never changes. @throws Refusal */
async function writeCorrection(registrar: Registrar, asset: Asset, { revision, texts, jobId }: { revision: number; texts: ReadonlyMap<string, string>; jobId: string }, before: Written | null): Promise<Written> {
  const base = baseOf(asset, revision);
  const key = keyOf(asset, asset.latestRevision + 1, correctionName(jobId));
  if (before?.key === key && before.base === base.revision) return before;
  await forget(registrar, before);
  await writeTranscript(registrar.house.blobs, key, corrected(segmentsOf(registrar, asset, base), texts));
  return { key, base: base.revision };
}

/**
 * Corrects segments: the next revision, whose run begins at embedding. The corrected text is written first, under a name
 * that no other correction has, and then the document, in one write that is conditional on what was read: so an accepted
 * correction has its text, of several at once one is accepted, and what a refused one wrote is removed.
 * @throws Refusal asset_not_found, transcript_not_ready, revision_conflict, invalid_segment_ids
 */
export async function correctTranscript(registrar: Registrar, caller: Caller, assetId: string, { revision, edits, jobId }: Correction): Promise<Accepted> {
  const { house } = registrar;
  const { assets, archive } = registrar.of(caller.organizationId);
  const texts = new Map(edits.map(({ id, text }) => [id, text]));
  let written: Written | null = null;
  for (;;) {
    const asset = await registrar.present(caller.organizationId, assetId);
    const again = asset.run.jobId === jobId ? asset.run : (await archive.get(jobId))?.run;
    if (again !== undefined) return { assetId, jobId, revision: again.revision };
    try {
      written = await writeCorrection(registrar, asset, { revision, texts, jobId }, written);
    } catch (error) {
      if (await hasMovedOn(registrar, asset)) continue;
      await forget(registrar, written);
      throw error;
    }
    const run = { purpose: 'correct', stage: 'embedding', facts: asset.facts ?? asset.run.facts } as const;
    const started = await startRun(registrar, assets, archive, asset, jobId, {}, house.ambient.now(), run);
    if (started === null) continue;
    registrar.changed(caller.organizationId);
    await registrar.drainSoon(started);
    return { assetId, jobId, revision: started.latestRevision };
  }
}

import { derivedKey } from '../../mixins/blocks/blocks.ts';
import { isFinished } from '../../mixins/work/transitions.ts';
import { readTranscript as readSegments, writeTranscript } from '../../mixins/transcript/transcript.ts';
import type { Accepted, Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { Refusal } from '../../models/errors.ts';
import {
  correctionName,
  derivedNames,
  type Segment,
  type SegmentEdit,
  type StoredTranscript,
} from '../../models/transcript.ts';
import { presentTo } from './lists.ts';
import { startRun } from './register.ts';
import type { Registrar } from './registrar.ts';

/** Maximum number of segment ids in a refusal. */
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
  if (asset.activeRevision === null)
    throw new Refusal('transcript_not_ready', {
      detail: 'The recording has not been indexed yet; see its job for the state.',
    });
  return asset.activeRevision;
}

/**
 * The blob of the active revision's transcript, if the reader may see the asset. @throws Refusal asset_not_found,
 * transcript_not_ready
 */
export async function readTranscript(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
  asReader: boolean,
  principals: readonly string[] | null,
): Promise<StoredTranscript> {
  for (;;) {
    const asset = await presentTo(registrar, caller, assetId, asReader, principals);
    const revision = shownRevision(asset);
    const key = keyOf(asset, revision, derivedNames.transcript);
    const view = { revision, warnings: asset.facts?.warnings ?? [] };
    if (await registrar.app.blobs.exists(key)) return { ...view, key };
    // It was replaced in between, or the recording has no speech.
    if ((await registrar.present(caller.organizationId, assetId)).activeRevision === revision)
      return { ...view, key: null };
  }
}

/** The base of a correction: a revision's transcript, by its possible names. The first existing one is used. */
interface Base {
  revision: number;
  names: readonly string[];
}

/**
 * The base of a correction: the transcript of the latest revision. Where the latest revision failed or is only
 * re-embedded, its text is unchanged, so the active revision is accepted as well.
 * @throws Refusal transcript_not_ready, revision_conflict
 */
function baseOf(asset: Asset, revision: number): Base {
  const active = { revision: shownRevision(asset), names: [derivedNames.transcript] };
  const { run, latestRevision } = asset;
  const hasFailed = isFinished(run) && run.state !== 'ready';
  const isSameText = hasFailed || run.purpose === 'reembed';
  if (revision !== latestRevision && !(isSameText && revision === active.revision)) {
    throw new Refusal('revision_conflict', {
      detail: `The latest revision is ${latestRevision}. Read the transcript again once its job is done.`,
    });
  }
  if (isFinished(run) || isSameText) return active;
  // A correction that is still being indexed is the base of the next one.
  if (run.purpose === 'correct')
    return { revision: latestRevision, names: [correctionName(run.jobId), derivedNames.transcript] };
  throw new Refusal('transcript_not_ready', {
    detail: `Revision ${latestRevision} is being indexed; see its job for the state.`,
  });
}

/** The segments of a base; none if it has no transcript. */
async function* segmentsOf(registrar: Registrar, asset: Asset, base: Base): AsyncGenerator<Segment> {
  for (const name of base.names) {
    try {
      yield* readSegments(registrar.app.blobs, keyOf(asset, base.revision, name));
      return;
    } catch (error) {
      // It was renamed, or there is no speech; or it was replaced, and then the asset's document has changed.
      if (!isGone(error)) throw error;
    }
  }
}

/**
 * Applies corrections to segments. A corrected segment keeps its times and loses the times of its words.
 * @throws Refusal invalid_segment_ids at the end, where corrections name unknown segments
 */
async function* corrected(
  segments: AsyncIterable<Segment>,
  texts: ReadonlyMap<string, string>,
): AsyncGenerator<Segment> {
  const unknown = new Set(texts.keys());
  for await (const segment of segments) {
    const text = texts.get(segment.id);
    unknown.delete(segment.id);
    yield text === undefined || text === segment.text
      ? segment
      : { ...segment, text, words: [], timingPrecision: 'segment' };
  }
  if (unknown.size === 0) return;
  const named = [...unknown]
    .slice(0, namedIds)
    .map((id) => JSON.stringify(id))
    .join(', ');
  throw new Refusal('invalid_segment_ids', {
    detail: `The transcript has no segment ${named}${unknown.size > namedIds ? ` and ${unknown.size - namedIds} more` : ''}.`,
  });
}

/** A requested correction, and the id of the job that indexes it. */
export interface Correction {
  revision: number;
  /** Where several name one segment, the last is used. */
  edits: readonly SegmentEdit[];
  jobId: string;
}

/** A corrected transcript that was written before its run was accepted. */
interface Written {
  key: string;
  base: number;
}

/** Removes a transcript whose run was not accepted. Where that fails, it is removed with its revision's folder. */
async function forget(registrar: Registrar, written: Written | null): Promise<void> {
  if (written === null) return;
  const { blobs, log } = registrar.app;
  await blobs
    .remove(written.key)
    .catch((error: unknown) => log.warn({ err: error, key: written.key }, 'removing a refused correction failed'));
}

/** Whether another run has started in between: then a missing transcript or segment is not an error of the request. */
async function hasMovedOn(registrar: Registrar, read: Asset): Promise<boolean> {
  const now = await registrar.present(read.organizationId, read._id);
  return now.run.jobId !== read.run.jobId || now.run.state !== read.run.state;
}

/**
 * Writes the corrected transcript, unless it already exists under its name, which depends on the base: a revision's
 * text never changes. @throws Refusal
 */
async function writeCorrection(
  registrar: Registrar,
  asset: Asset,
  { revision, texts, jobId }: { revision: number; texts: ReadonlyMap<string, string>; jobId: string },
  before: Written | null,
): Promise<Written> {
  const base = baseOf(asset, revision);
  const key = keyOf(asset, asset.latestRevision + 1, correctionName(jobId));
  if (before?.key === key && before.base === base.revision) return before;
  await forget(registrar, before);
  await writeTranscript(registrar.app.blobs, key, corrected(segmentsOf(registrar, asset, base), texts));
  return { key, base: base.revision };
}

/**
 * Corrects segments in a new revision, whose run starts at embedding. The corrected text is written first, under a
 * unique name, and then the document, in one conditional write. So an accepted correction always has its text, one of
 * several concurrent corrections is accepted, and the text of a refused one is removed.
 * @throws Refusal asset_not_found, transcript_not_ready, revision_conflict, invalid_segment_ids
 */
export async function correctTranscript(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
  { revision, edits, jobId }: Correction,
): Promise<Accepted> {
  const { app } = registrar;
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
    const started = await startRun(registrar, assets, archive, asset, jobId, {}, app.runtime.now(), run);
    if (started === null) continue;
    registrar.changed(caller.organizationId);
    await registrar.drainSoon(started);
    return { assetId, jobId, revision: started.latestRevision };
  }
}

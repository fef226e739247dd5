import { TranscriptionFailure } from '../../adapters/speech/port.ts';
import { derivedFolder } from '../../mixins/blobs/derived.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { StageResult, StageWork } from '../../mixins/indexing/stage.ts';
import { chunkTranscriptName } from '../../mixins/transcript/chunks.ts';
import { readTranscript, writeTranscript } from '../../mixins/transcript/transcript.ts';
import { primarySubtag } from '../../models/analyser/languages.ts';
import type { Asset, OutboxEntry, Warning } from '../../models/asset.ts';
import { derivedNames, type Segment, type Sound } from '../../models/transcript.ts';
import { joinChunks, type HeardChunk } from './joining/join.ts';
import type { Placement } from './placement.ts';
import { readSound } from './sound.ts';

/** The dependencies of transcribing. */
export interface TranscribingTools {
  app: AppContext;
  placement: Placement;
  /** Notifies all processes that a recording is abandoned. */
  abandon(recording: string): void;
}

/** Maximum concurrent removals of pieces. */
const removalsAtOnce = 8;

/**
 * Transcribes a recording from the pieces of its sound and stores its transcript. Pieces that were transcribed before a
 * crash or by another worker are not repeated, and an existing transcript is kept. The pieces are removed after the
 * transcript is stored. If a crash prevents that, the next attempt finds the transcript and removes them, or the
 * discarding of the revision does.
 */
export async function transcribeRevision(tools: TranscribingTools, work: StageWork): Promise<StageResult> {
  const { app } = tools;
  const { asset, signal } = work;
  const { blobs } = app;
  const keyOf = (name: string): string => derivedKey(asset.organizationId, asset._id, asset.run.revision, name);
  const sound = await readSound(blobs, keyOf(derivedNames.sound));
  const language = languageOf(asset);
  const warnings: Warning[] = [];
  const isKnown = knows(app, language);
  if (!isKnown)
    warnings.push({
      code: 'speech_language_unknown',
      detail: `The transcriber does not know the language ${asset.language}: the recording was not transcribed.`,
    });
  const heard: Sound = isKnown ? sound : { ...sound, chunks: [] };
  if (!(await blobs.exists(keyOf(derivedNames.transcript)))) {
    await transcribeChunks(tools, work, heard, language);
    signal.throwIfAborted();
    await writeTranscript(blobs, keyOf(derivedNames.transcript), joinChunks(heardChunks(app, heard, keyOf)));
  }
  signal.throwIfAborted();
  await removeChunks(app, sound, keyOf);
  if (
    (await isEmpty(readTranscript(blobs, keyOf(derivedNames.transcript)))) &&
    !(await blobs.exists(keyOf(derivedNames.slides)))
  ) {
    warnings.push({ code: 'indexed_nothing', detail: 'No speech was found in the recording.' });
  }
  const byCode = new Map([...asset.run.facts.warnings, ...warnings].map((warning) => [warning.code, warning]));
  return {
    next: 'embedding',
    facts: { ...asset.run.facts, warnings: [...byCode.values()] },
    outbox: [usageOf(asset, heard.chunks.length === 0 ? 0 : sound.seconds, app.records.time())],
  };
}

/** The language with which the recording was registered; null if none. */
function languageOf(asset: Asset): string | null {
  const language = primarySubtag(asset.language);
  return language === 'und' ? null : language;
}

function knows({ speech }: AppContext, language: string | null): boolean {
  const languages = speech.model?.languages ?? null;
  return language === null || languages === null || languages.includes(language);
}

/** Has all remaining pieces transcribed, as many concurrently as the cluster has slots. */
async function transcribeChunks(
  { app, placement, abandon }: TranscribingTools,
  work: StageWork,
  sound: Sound,
  language: string | null,
): Promise<void> {
  const { asset } = work;
  const { revision, jobId, token } = asset.run;
  if (sound.chunks.length === 0) return;
  if (placement.slots() === 0)
    throw new TranscriptionFailure('speech_unavailable', 'definite', app.speech.absence ?? 'no process transcribes');
  const done = new Set<string>();
  const folder = derivedFolder(asset.organizationId, asset._id, revision);
  for await (const { key } of app.blobs.list(folder)) done.add(key.slice(folder.length));
  const recording = `${jobId}.${token}`;
  // The longest first, so that all slots finish at about the same time.
  const waiting = sound.chunks
    .filter(({ name }) => !done.has(chunkTranscriptName(name)))
    .toSorted((one, other) => other.end - other.start - (one.end - one.start));
  const whole = sound.chunks.reduce((sum, { start, end }) => sum + end - start, 0);
  let left = waiting.reduce((sum, { start, end }) => sum + end - start, 0);
  const reportProgress = (): void => work.progress(whole === 0 ? 0 : Math.min(99, ((whole - left) / whole) * 100));
  const failing = new AbortController();
  const signal = AbortSignal.any([work.signal, failing.signal]);
  const underWay = new Set<Promise<void>>();
  reportProgress();
  try {
    while (waiting.length > 0 || underWay.size > 0) {
      signal.throwIfAborted();
      while (waiting.length > 0 && underWay.size < Math.max(1, placement.slots())) {
        const chunk = waiting.shift();
        if (chunk === undefined) break;
        const seconds = chunk.end - chunk.start;
        const piece = placement
          .transcribe(
            {
              organizationId: asset.organizationId,
              assetId: asset._id,
              revision,
              recording,
              name: chunk.name,
              seconds,
              language,
            },
            signal,
          )
          .then(() => {
            left -= seconds;
            reportProgress();
          })
          .finally(() => underWay.delete(piece));
        underWay.add(piece);
      }
      await Promise.race(underWay);
    }
  } catch (error) {
    failing.abort(error);
    abandon(recording);
    await Promise.allSettled(underWay);
    throw error;
  }
}

async function* heardChunks(
  app: AppContext,
  sound: Sound,
  keyOf: (name: string) => string,
): AsyncGenerator<HeardChunk> {
  for (const chunk of sound.chunks) {
    const segments: Segment[] = [];
    for await (const segment of readTranscript(app.blobs, keyOf(chunkTranscriptName(chunk.name))))
      segments.push(segment);
    yield { chunk, segments };
  }
}

async function removeChunks({ blobs }: AppContext, { chunks }: Sound, keyOf: (name: string) => string): Promise<void> {
  for (let from = 0; from < chunks.length; from += removalsAtOnce) {
    await Promise.all(
      chunks
        .slice(from, from + removalsAtOnce)
        .flatMap(({ name }) => [blobs.remove(keyOf(name)), blobs.remove(keyOf(chunkTranscriptName(name)))]),
    );
  }
}

async function isEmpty(items: AsyncGenerator): Promise<boolean> {
  for await (const item of items) return item === undefined;
  return true;
}

/**
 * The milliseconds of sound transcribed. This counts the work; recordings are charged when they are ready, each content
 * once.
 */
function usageOf(asset: Asset, seconds: number, now: number): OutboxEntry {
  return {
    id: `${asset.run.jobId}:${asset.run.stageSeq}:audio_hours`,
    kind: 'usage',
    metric: 'audio_hours',
    quantity: Math.round(seconds * 1000),
    at: now,
    notBefore: now,
  };
}

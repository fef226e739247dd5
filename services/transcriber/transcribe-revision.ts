import { TranscriptionFailure, type HeardSegment } from '../../adapters/speech/port.ts';
import { derivedFolder } from '../../mixins/blobs/derived.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { StageResult, StageWork } from '../../mixins/indexing/stage.ts';
import { chunkTranscriptName } from '../../mixins/transcript/chunks.ts';
import { readTranscript, writeTranscript } from '../../mixins/transcript/transcript.ts';
import { primarySubtag } from '../../models/analyser/languages.ts';
import type { Asset, OutboxEntry, Warning } from '../../models/asset.ts';
import { derivedNames, type Segment, type Sound, type SoundChunk } from '../../models/transcript.ts';
import { joinChunks, type HeardChunk } from './joining/join.ts';
import { readSound } from './sound.ts';
import { transcribePieces, type TranscribingTools } from './transcribe-pieces.ts';

/** Maximum concurrent removals of pieces. */
const removalsAtOnce = 8;
/** Pieces whose languages are counted. */
const maxLongest = 5;

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

/**
 * Has all remaining pieces transcribed. Where the language is not known, the longest pieces come first, each in the
 * language detected in it; the others, and those of the longest that differ, are then transcribed with the language of
 * most as the expected one.
 */
async function transcribeChunks(
  tools: TranscribingTools,
  work: StageWork,
  sound: Sound,
  language: string | null,
): Promise<void> {
  const { app, placement } = tools;
  const { chunks } = sound;
  if (chunks.length === 0) return;
  if (placement.slots() === 0)
    throw new TranscriptionFailure('speech_unavailable', 'definite', app.speech.absence ?? 'no process transcribes');
  const { organizationId, _id: assetId, run } = work.asset;
  const done = new Set<string>();
  const folder = derivedFolder(organizationId, assetId, run.revision);
  for await (const { key } of app.blobs.list(folder)) done.add(key.slice(folder.length));
  const isDone = ({ name }: SoundChunk): boolean => done.has(chunkTranscriptName(name));
  const secondsOf = (pieces: readonly SoundChunk[]): number =>
    pieces.reduce((sum, { start, end }) => sum + end - start, 0);
  const whole = secondsOf(chunks);
  let left = secondsOf(chunks.filter((chunk) => !isDone(chunk)));
  const report = (seconds: number): void => {
    left -= seconds;
    work.progress(whole === 0 ? 0 : Math.min(99, ((whole - left) / whole) * 100));
  };
  report(0);
  const remaining = chunks.filter((chunk) => !isDone(chunk));
  const detectsLanguage = language === null && chunks.length > 1 && app.speech.model?.usesExpectedLanguage === true;
  if (!detectsLanguage) {
    await transcribePieces(tools, work, { pieces: remaining, language, onDone: report });
    return;
  }
  const longest = longestOf(chunks);
  await transcribePieces(tools, work, {
    pieces: remaining.filter((chunk) => longest.includes(chunk)),
    language,
    onDone: report,
  });
  const segments = new Map<SoundChunk, Segment[]>();
  for (const chunk of longest)
    segments.set(
      chunk,
      await segmentsOf(app, derivedKey(organizationId, assetId, run.revision, chunkTranscriptName(chunk.name))),
    );
  const expected = languageOfMost([...segments.values()].flat());
  if (expected !== null)
    await transcribePieces(tools, work, {
      pieces: longest.filter((chunk) => segments.get(chunk)?.some((segment) => segment.language !== expected)),
      language,
      expected,
      replaces: true,
      onDone: () => undefined,
    });
  await transcribePieces(tools, work, {
    pieces: remaining.filter((chunk) => !longest.includes(chunk)),
    language,
    expected,
    onDone: report,
  });
}

async function segmentsOf({ blobs }: AppContext, key: string): Promise<Segment[]> {
  const segments: Segment[] = [];
  for await (const segment of readTranscript(blobs, key)) segments.push(segment);
  return segments;
}

async function* heardChunks(
  app: AppContext,
  sound: Sound,
  keyOf: (name: string) => string,
): AsyncGenerator<HeardChunk> {
  for (const chunk of sound.chunks) {
    yield { chunk, segments: await segmentsOf(app, keyOf(chunkTranscriptName(chunk.name))) };
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

/** The longest pieces of a recording, in order of time: their languages decide on that of the recording. */
function longestOf(chunks: readonly SoundChunk[]): SoundChunk[] {
  const longest = chunks.toSorted((one, other) => other.end - other.start - (one.end - one.start)).slice(0, maxLongest);
  return chunks.filter((chunk) => longest.includes(chunk));
}

/** The language with the most seconds of speech, of those that are certain; null if none is. */
function languageOfMost(segments: Iterable<HeardSegment>): string | null {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of segments)
    if (language !== null) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  return [...seconds].reduce<readonly [string | null, number]>(
    (most, entry) => (entry[1] > most[1] ? entry : most),
    [null, 0],
  )[0];
}

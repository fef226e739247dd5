import { TranscriptionFailure } from '../../adapters/speech/port.ts';
import { derivedFolder } from '../../mixins/blobs/derived.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { House } from '../../mixins/house.ts';
import type { StageResult, StageWork } from '../../mixins/runs/stage-worker.ts';
import { heardName } from '../../mixins/transcript/chunks.ts';
import { readTranscript, writeTranscript } from '../../mixins/transcript/transcript.ts';
import { primarySubtag } from '../../models/analyser/languages.ts';
import type { Asset, OutboxEntry, Warning } from '../../models/asset.ts';
import { derivedNames, type Segment, type Sound } from '../../models/transcript.ts';
import { joinChunks, type HeardChunk } from './joining/join.ts';
import type { Placement } from './placement.ts';
import { readSound } from './sound.ts';

/** What transcribing works with. */
export interface TranscribingTools {
  house: House;
  placement: Placement;
  /** Tells all processes that nobody wants the pieces of a recording any more. */
  abandon(recording: string): void;
}

/** Removals of pieces under way at a time. */
const removalsAtOnce = 8;

/**
 * Transcribes a recording from the pieces that its sound was cut into, and stores its transcript. Pieces that were done
 * before a crash, or by another worker, are not done again; a transcript that is there already is kept. The pieces are
 * removed once the transcript is stored: a crash in between leaves them to the next attempt, which finds the transcript
 * and removes them, or to the discarding of the revision.
 */
export async function transcribeRevision(tools: TranscribingTools, work: StageWork): Promise<StageResult> {
  const { house } = tools;
  const { asset, signal } = work;
  const { blobs } = house;
  const keyOf = (name: string): string => derivedKey(asset.organizationId, asset._id, asset.run.revision, name);
  const sound = await readSound(blobs, keyOf(derivedNames.sound));
  const language = languageOf(asset);
  const warnings: Warning[] = [];
  const isKnown = knows(house, language);
  if (!isKnown) warnings.push({ code: 'speech_language_unknown', detail: `The transcriber does not know the language ${asset.language}: the recording was not transcribed.` });
  const heard: Sound = isKnown ? sound : { ...sound, chunks: [] };
  if (!(await blobs.exists(keyOf(derivedNames.transcript)))) {
    await transcribeChunks(tools, work, heard, language);
    signal.throwIfAborted();
    await writeTranscript(blobs, keyOf(derivedNames.transcript), joinChunks(heardChunks(house, heard, keyOf)));
  }
  signal.throwIfAborted();
  await removeChunks(house, sound, keyOf);
  if (await isEmpty(readTranscript(blobs, keyOf(derivedNames.transcript))) && !(await blobs.exists(keyOf(derivedNames.slides)))) {
    warnings.push({ code: 'indexed_nothing', detail: 'No speech was found in the recording.' });
  }
  const told = new Map([...asset.run.facts.warnings, ...warnings].map((warning) => [warning.code, warning]));
  return { next: 'embedding', facts: { ...asset.run.facts, warnings: [...told.values()] }, outbox: [usageOf(asset, heard.chunks.length === 0 ? 0 : sound.seconds, house.records.time())] };
}

/** The language that the recording was registered with; null where it names none. */
function languageOf(asset: Asset): string | null {
  const language = primarySubtag(asset.language);
  return language === 'und' ? null : language;
}

function knows({ speech }: House, language: string | null): boolean {
  const languages = speech.model?.languages ?? null;
  return language === null || languages === null || languages.includes(language);
}

/** Has all pieces transcribed that are not yet, as many at a time as there are places in the cluster. */
async function transcribeChunks({ house, placement, abandon }: TranscribingTools, work: StageWork, sound: Sound, language: string | null): Promise<void> {
  const { asset } = work;
  const { revision, jobId, token } = asset.run;
  if (sound.chunks.length === 0) return;
  if (placement.places() === 0) throw new TranscriptionFailure('speech_unavailable', 'definite', house.speech.absence ?? 'no process transcribes');
  const done = new Set<string>();
  const folder = derivedFolder(asset.organizationId, asset._id, revision);
  for await (const { key } of house.blobs.list(folder)) done.add(key.slice(folder.length));
  const recording = `${jobId}.${token}`;
  // The longest first: so the places come to their end at about the same time.
  const waiting = sound.chunks.filter(({ name }) => !done.has(heardName(name))).toSorted((one, other) => other.end - other.start - (one.end - one.start));
  const whole = sound.chunks.reduce((sum, { start, end }) => sum + end - start, 0);
  let left = waiting.reduce((sum, { start, end }) => sum + end - start, 0);
  const tell = (): void => work.progress(whole === 0 ? 0 : Math.min(99, ((whole - left) / whole) * 100));
  const failing = new AbortController();
  const signal = AbortSignal.any([work.signal, failing.signal]);
  const underWay = new Set<Promise<void>>();
  tell();
  try {
    while (waiting.length > 0 || underWay.size > 0) {
      signal.throwIfAborted();
      while (waiting.length > 0 && underWay.size < Math.max(1, placement.places())) {
        const chunk = waiting.shift();
        if (chunk === undefined) break;
        const seconds = chunk.end - chunk.start;
        const piece = placement.transcribe({ organizationId: asset.organizationId, assetId: asset._id, revision, recording, name: chunk.name, seconds, language }, signal).then(() => {
          left -= seconds;
          tell();
        }).finally(() => underWay.delete(piece));
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

async function* heardChunks(house: House, sound: Sound, keyOf: (name: string) => string): AsyncGenerator<HeardChunk> {
  for (const chunk of sound.chunks) {
    const segments: Segment[] = [];
    for await (const segment of readTranscript(house.blobs, keyOf(heardName(chunk.name)))) segments.push(segment);
    yield { chunk, segments };
  }
}

async function removeChunks({ blobs }: House, { chunks }: Sound, keyOf: (name: string) => string): Promise<void> {
  for (let from = 0; from < chunks.length; from += removalsAtOnce) {
    await Promise.all(chunks.slice(from, from + removalsAtOnce).flatMap(({ name }) => [blobs.remove(keyOf(name)), blobs.remove(keyOf(heardName(name)))]));
  }
}

async function isEmpty(items: AsyncGenerator): Promise<boolean> {
  for await (const item of items) return item === undefined;
  return true;
}

/** The sound that was transcribed, in milliseconds. Recordings are charged when they are ready, and each content once; this counts the work. */
function usageOf(asset: Asset, seconds: number, now: number): OutboxEntry {
  return { id: `${asset.run.jobId}:${asset.run.stageSeq}:audio_hours`, kind: 'usage', metric: 'audio_hours', quantity: Math.round(seconds * 1000), at: now, notBefore: now };
}

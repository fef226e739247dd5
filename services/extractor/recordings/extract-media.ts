import { rm } from 'node:fs/promises';
import { admitRecording, correctLength } from '../../../mixins/audio-day/audio-day.ts';
import { HeldBack } from '../../../mixins/work/worker.ts';
import { SourceFailure } from '../../../mixins/sources/failure.ts';
import { openSource, type OpenedSource } from '../../../mixins/sources/open.ts';
import type { StageResult, StageWork } from '../../../mixins/indexing/stage.ts';
import { writeTranscript } from '../../../mixins/transcript/transcript.ts';
import type { Asset, OutboxEntry } from '../../../models/asset.ts';
import { derivedNames, type Sound } from '../../../models/transcript.ts';
import type { ExtractionTools } from '../tools.ts';
import { ExtractionFailure } from '../../../models/extraction-failure.ts';
import { digestWarnings, readingOf, usageOf } from '../reading.ts';
import { slideOutput } from '../slides/read-slides.ts';
import {
  protectedPictures,
  slideWarnings,
  wantsSlides,
  writeSlides,
  type WrittenSlides,
} from '../slides/write-slides.ts';
import { copyIdentical } from './identical-content.ts';
import { sniffedBytes, untimed, type Container } from '../../../media/containers.ts';
import { decodeArguments, decodedChannels, type DecodedTrack } from '../../../media/ffmpeg.ts';
import { SourceChanged } from '../../../media/index-first.ts';
import { runMedia } from '../../../media/media-process.ts';
import { orderedSource, type OrderedSource } from '../../../media/ordered-source.ts';
import { probe, type Probe } from '../../../media/probe.ts';
import { singleTrack } from '../../../media/single-track.ts';
import { keyOf, writeChunks, writeSound } from './sound-writer.ts';
import { cutOffWarnings, nothingToTranscribe } from './warnings.ts';

/** How often the progress is reported, in milliseconds. */
const progressMilliseconds = 1000;
/**
 * Bits a second that even silence takes. A file too small for its length was written before that was known: in an MP4
 * all bits of the length are set then (ISO/IEC 14496-12, 8.2.2.3).
 */
const minBitRate = 100;

/**
 * Reads a recording's source in order and writes its audio as chunks, then `sound.json`, under asset and revision.
 * Neither the recording nor its audio is held in memory as a whole. Repeating it writes the same.
 */
export async function extractMedia(tools: ExtractionTools, work: StageWork): Promise<StageResult> {
  const { mediaSlots } = tools;
  await mediaSlots.acquire(work.signal, work.asset.organizationId);
  const path = tools.folder.next();
  try {
    const { PLY_MAX_FILE_BYTES: maxBytes } = tools.app.configuration;
    return await readingOf(tools, work, maxBytes, async (read) => {
      const source = await openSource(read);
      const ordered = await orderedSource(source, work.asset.filename, path);
      const progressTimer = setInterval(() => {
        if (source.declaredBytes !== null) work.progress((source.result.bytes * 100) / source.declaredBytes);
      }, progressMilliseconds);
      try {
        return await readRecording(tools, { ...work, signal: read.signal }, source, ordered);
      } catch (error) {
        if (source.result.bytes > 0)
          work.setFailureOutbox(usageOf(work.asset, source.result.bytes, tools.app.records.time()));
        if (error instanceof SourceChanged) throw new SourceFailure('source_version_changed', error.message);
        throw error;
      } finally {
        clearInterval(progressTimer);
        await ordered.close();
      }
    });
  } finally {
    mediaSlots.release();
    await rm(path, { force: true });
  }
}

async function readRecording(
  tools: ExtractionTools,
  work: StageWork,
  source: OpenedSource,
  ordered: OrderedSource,
): Promise<StageResult> {
  const { app } = tools;
  const { asset } = work;
  const { programs, confinement } = await tools.media.tools();
  const { container, feed } = ordered;
  const known = singleTrack(container, await feed.peek(sniffedBytes), source.declaredBytes);
  const probed =
    known ?? (await probe({ ffprobe: programs.ffprobe, confinement, container, feed, signal: work.signal }));
  const { PLY_MAX_AUDIO_SECONDS: maxSeconds } = app.configuration;
  const declared = declaredSeconds(probed.seconds, source.declaredBytes, known === null && lengthless.has(container));
  if (declared !== null && declared > maxSeconds)
    throw new ExtractionFailure('audio_too_long', `its header says a length of ${declared} s`);
  const track = trackOf(asset, probed);
  const admission = await admitRecording(app, asset, Math.round((declared ?? 0) * 1000));
  if (admission === null) throw new HeldBack("the organization's dailyAudioHours are reached");
  const wantsPictures = probed.hasVideo && (await wantsSlides(app, asset));
  const { sound, slides } = await decode(tools, work, ordered, track, wantsPictures && !probed.isVideoProtected);
  // A decoder may fail silently on an unknown codec variant, so an empty result does not prove silence.
  if (sound?.seconds === 0 && declared !== null && declared > 0 && !probed.hasVideo)
    throw new ExtractionFailure('media_unreadable', `nothing of ${declared} s of sound could be decoded`);
  // Read the rest of the source: the digest covers all bytes.
  while (await ordered.feed.ready()) ordered.feed.take();
  const { bytes, sha256 } = source.result;
  if (sha256 === null) throw new Error('the source ended without a digest');
  work.signal.throwIfAborted();
  if (sound !== null) await correctLength(app, asset, admission, Math.round(sound.seconds * 1000));
  const warnings = [
    ...digestWarnings(asset, sha256),
    ...cutOffWarnings({ container: ordered.container, truncation: ordered.truncation, declared, sound }),
    ...(slides === null ? [] : slideWarnings(slides)),
    ...(wantsPictures && probed.isVideoProtected ? [protectedPictures] : []),
  ];
  const facts = {
    ...asset.run.facts,
    bytes,
    sha256,
    warnings,
    // Without a sound track, only the container tells how long the recording is.
    durationMs: Math.round((sound?.seconds ?? declared ?? 0) * 1000),
    framesRead: slides !== null && slides.frames > 0,
  };
  const outbox = [
    ...usageOf(asset, bytes, app.records.time()),
    ...(slides === null ? [] : framesOf(asset, slides.frames - slides.shared, app.records.time())),
  ];
  if (sound === null || sound.chunks.length === 0) {
    await writeTranscript(app.blobs, keyOf(asset, derivedNames.transcript), []);
    return {
      next: 'embedding',
      facts:
        slides !== null && slides.slides > 0
          ? facts
          : { ...facts, warnings: [...warnings, nothingToTranscribe(sound)] },
      outbox,
    };
  }
  const duplicateOf = await copyIdentical(app, asset, { sha256, isLookedAt: slides !== null });
  if (duplicateOf !== null) {
    for (const { name } of sound.chunks) await app.blobs.remove(keyOf(asset, name));
    // Only bytes read from the source are charged, not repeated work.
    return { next: 'embedding', facts: { ...facts, duplicateOf }, outbox: usageOf(asset, bytes, app.records.time()) };
  }
  await writeSound(app.blobs, asset, sound);
  return { next: 'transcribing', facts, outbox };
}

/** Containers with a placeholder length if written to a pipe; ffprobe reports it as the length. */
const lengthless: ReadonlySet<Container> = new Set(['wav', 'w64']);

/**
 * The length in a recording's header, in seconds; null if it has none, or one that is not credible: its sound gives the
 * length then.
 */
function declaredSeconds(seconds: number | null, bytes: number | null, isAnything: boolean): number | null {
  if (seconds === null || isAnything) return null;
  return bytes !== null && bytes * 8 < seconds * minBitRate ? null : seconds;
}

/**
 * The sound track to read; null if there is none at all, whatever was asked for.
 * @throws ExtractionFailure `audio_track_not_found`; `media_encrypted` where it cannot be decoded without a key
 */
function trackOf(asset: Asset, { soundTracks, defaultTrack }: Probe): DecodedTrack | null {
  const track = soundTracks.length === 0 ? null : (asset.audioTrack ?? defaultTrack);
  if (track === null) return null;
  const found = soundTracks[track];
  if (found === undefined)
    throw new ExtractionFailure('audio_track_not_found', `track ${track} was asked for, of ${soundTracks.length}`);
  if (found.isProtected) throw new ExtractionFailure('media_encrypted', `sound track ${track} is encrypted`);
  return { number: track, channels: found.channels };
}

/** The result of decoding: null if there is no audio, or the pictures are not read. */
interface Decoded {
  sound: Sound | null;
  slides: WrittenSlides | null;
}

/** Decodes sound and pictures in one run over the source. Without either there is nothing to run. */
async function decode(
  tools: ExtractionTools,
  work: StageWork,
  ordered: OrderedSource,
  track: DecodedTrack | null,
  wantsPictures: boolean,
): Promise<Decoded> {
  const {
    app: { blobs, configuration },
    slides: toolbox,
  } = tools;
  const { asset, signal } = work;
  const reader = wantsPictures ? await toolbox.find() : null;
  const pictures = reader === null || 'missing' in reader ? null : reader;
  if (track === null && pictures === null) return { sound: null, slides: null };
  const { programs, confinement } = await tools.media.tools();
  let sound: Sound | null = null;
  let slides: WrittenSlides | null = null;
  const hear = async (decoded: AsyncIterable<Uint8Array>): Promise<void> => {
    const line = { channels: track === null ? 1 : decodedChannels(track), isTimed: !untimed.has(ordered.container) };
    const written = await writeChunks({ blobs, asset, maxSeconds: configuration.PLY_MAX_AUDIO_SECONDS, line }, decoded);
    if (track !== null) sound = written;
  };
  const look =
    pictures === null
      ? []
      : [
          async (bytes: AsyncIterable<Uint8Array>): Promise<void> => {
            slides = await writeSlides(
              { blobs, asset, toolbox, tools: pictures, milliseconds: configuration.PLY_SLIDE_SECONDS * 1000, signal },
              bytes,
            );
          },
        ];
  const end = await runMedia({
    program: programs.ffmpeg,
    arguments: decodeArguments(ordered.container, track, pictures === null ? [] : [slideOutput]),
    confinement,
    feed: ordered.feed,
    outputs: [hear, ...look],
    signal,
  });
  if (end.code !== 0) throw new ExtractionFailure('media_unreadable', `ffmpeg ended with ${end.signal ?? end.code}`);
  const heard = sound as Sound | null;
  if (track !== null && (heard === null || (heard.seconds === 0 && end.errors !== '')))
    throw new ExtractionFailure('media_unreadable', 'nothing of the sound track could be decoded');
  return { sound: heard, slides };
}

/** The usage of pictures that were read for this recording. */
function framesOf(asset: Asset, frames: number, now: number): OutboxEntry[] {
  if (frames === 0) return [];
  return [
    {
      id: `${asset.run.jobId}:${asset.run.stageSeq}:ocr_frames`,
      kind: 'usage',
      metric: 'ocr_frames',
      quantity: frames,
      at: now,
      notBefore: now,
    },
  ];
}

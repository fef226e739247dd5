import { rm } from 'node:fs/promises';
import { openSource, type OpenedSource } from '../../../mixins/sources/open.ts';
import type { StageResult, StageWork } from '../../../mixins/runs/stage-worker.ts';
import { writeTranscript } from '../../../mixins/transcript/transcript.ts';
import type { Asset, Warning } from '../../../models/asset.ts';
import { derivedNames, type Sound } from '../../../models/transcript.ts';
import type { ExtractionTools } from '../tools.ts';
import { ExtractionFailure } from '../formats/failure.ts';
import { digestWarnings, readingOf, usageOf } from '../reading.ts';
import { copyIdentical } from './identical-content.ts';
import { decodeArguments } from './ffmpeg.ts';
import { runMedia } from './media-process.ts';
import { orderedSource, type OrderedSource } from './ordered-source.ts';
import { probe, type Probe } from './probe.ts';
import { keyOf, writeChunks, writeSound } from './sound-writer.ts';

/** How often the progress is told, in milliseconds. */
const progressMilliseconds = 1000;

/**
 * Reads a recording's source in order and writes its sound as chunks, and last `sound.json`, under asset and revision.
 * Neither the recording nor its sound is ever held whole. Doing it again writes the same.
 */
export async function extractMedia(tools: ExtractionTools, work: StageWork): Promise<StageResult> {
  const { slots } = tools.media;
  await slots.enter(work.signal);
  const path = tools.folder.next();
  try {
    const { PLY_MAX_FILE_BYTES: maxBytes } = tools.house.configuration;
    return await readingOf(tools, work, maxBytes, async (read) => {
      const source = await openSource(read);
      const ordered = await orderedSource(source, work.asset.filename, path);
      const telling = setInterval(() => {
        if (source.declaredBytes !== null) work.progress((source.result.bytes * 100) / source.declaredBytes);
      }, progressMilliseconds);
      try {
        return await readRecording(tools, { ...work, signal: read.signal }, source, ordered);
      } finally {
        clearInterval(telling);
        await ordered.close();
      }
    });
  } finally {
    slots.leave();
    await rm(path, { force: true });
  }
}

async function readRecording(tools: ExtractionTools, work: StageWork, source: OpenedSource, ordered: OrderedSource): Promise<StageResult> {
  const { house } = tools;
  const { asset } = work;
  const { programs, confinement } = await tools.media.tools();
  const probed = await probe({ ffprobe: programs.ffprobe, confinement, container: ordered.container, feed: ordered.feed, signal: work.signal });
  const { PLY_MAX_AUDIO_SECONDS: maxSeconds } = house.configuration;
  if (probed.seconds !== null && probed.seconds > maxSeconds) throw new ExtractionFailure('audio_too_long', `its header tells a length of ${probed.seconds} s`);
  const track = trackOf(asset, probed);
  const sound = track === null ? null : await decode(tools, work, ordered, track);
  // What the decoder had no use for is of the content too: its digest is known at the end of all bytes.
  while (await ordered.feed.ready()) ordered.feed.take();
  const { bytes, sha256 } = source.result;
  if (sha256 === null) throw new Error('the source ended without a digest');
  work.signal.throwIfAborted();
  const facts = { ...asset.run.facts, bytes, sha256, warnings: digestWarnings(asset, sha256) };
  const outbox = usageOf(asset, bytes, house.records.time());
  if (sound === null || sound.chunks.length === 0) {
    await writeTranscript(house.blobs, keyOf(asset, derivedNames.transcript), []);
    return { next: 'embedding', facts: { ...facts, warnings: [...facts.warnings, nothingToHear(sound)] }, outbox };
  }
  const duplicateOf = await copyIdentical(house, asset, sha256);
  if (duplicateOf !== null) {
    for (const { name } of sound.chunks) await house.blobs.remove(keyOf(asset, name));
    return { next: 'embedding', facts: { ...facts, duplicateOf }, outbox };
  }
  await writeSound(house.blobs, asset, sound);
  return { next: 'transcribing', facts, outbox };
}

function nothingToHear(sound: Sound | null): Warning {
  return { code: 'indexed_nothing', detail: sound === null ? 'The recording has no sound track.' : 'The recording is silent.' };
}

/** The sound track to read; null where there is none at all, whatever was asked for. @throws ExtractionFailure `audio_track_not_found` */
function trackOf(asset: Asset, probed: Probe): number | null {
  if (probed.soundTracks === 0 || asset.audioTrack === null) return probed.defaultTrack;
  if (asset.audioTrack < probed.soundTracks) return asset.audioTrack;
  throw new ExtractionFailure('audio_track_not_found', `track ${asset.audioTrack} was asked for, of ${probed.soundTracks}`);
}

async function decode(tools: ExtractionTools, work: StageWork, ordered: OrderedSource, track: number): Promise<Sound> {
  const { blobs, configuration } = tools.house;
  const { programs, confinement } = await tools.media.tools();
  let sound: Sound | null = null;
  const end = await runMedia({
    program: programs.ffmpeg,
    arguments: decodeArguments(ordered.container, track),
    confinement,
    feed: ordered.feed,
    outputs: [async (decoded) => { sound = await writeChunks({ blobs, asset: work.asset, maxSeconds: configuration.PLY_MAX_AUDIO_SECONDS }, decoded); }],
    signal: work.signal,
  });
  if (end.code !== 0) throw new ExtractionFailure('media_unreadable', `ffmpeg ended with ${end.signal ?? end.code}`);
  const heard = sound as Sound | null;
  if (heard === null || (heard.seconds === 0 && end.errors !== '')) throw new ExtractionFailure('media_unreadable', 'nothing of the sound track could be decoded');
  return heard;
}

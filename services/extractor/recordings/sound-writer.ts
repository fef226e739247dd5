import { derivedKey } from '../../../mixins/blocks/blocks.ts';
import type { Blobs } from '../../../adapters/blobs/port.ts';
import type { Asset } from '../../../models/asset.ts';
import { derivedNames, type Sound, type SoundChunk } from '../../../models/transcript.ts';
import { ExtractionFailure } from '../../../models/extraction-failure.ts';
import { sampleRate } from '../../../media/ffmpeg.ts';
import { SoundCutter, type SoundPiece } from '../../../media/sound-cutter.ts';
import { StereoMixer } from '../../../media/mixing.ts';
import { TimedSoundReader } from '../../../media/timed-sound.ts';
import { Timeline, type SoundFormat } from '../../../media/timeline.ts';
import { wavOf } from '../../../media/wav.ts';

/** The destination of a revision's audio, and its maximum length. */
export interface SoundTarget {
  blobs: Blobs;
  asset: Asset;
  maxSeconds: number;
  /** Its format: one channel or two. */
  line: SoundFormat;
}

/** Key of a blob that belongs to the asset's current run. */
export function keyOf(asset: Asset, name: string): string {
  return derivedKey(asset.organizationId, asset._id, asset.run.revision, name);
}

/** Seconds of a number of samples, without the dust of a division: exact to a hundredth of a millisecond. */
function secondsOf(samples: number): number {
  return Math.round((samples / sampleRate) * 1e5) / 1e5;
}

/** Mixes the decoded audio to one channel, with each block at its time. */
async function* inOneChannel(
  decoded: AsyncIterable<Uint8Array>,
  line: SoundFormat,
): AsyncGenerator<Int16Array, void, undefined> {
  const reader = new TimedSoundReader();
  const timeline = new Timeline(line);
  const mixer = line.channels === 1 ? null : new StereoMixer();
  for await (const bytes of decoded) {
    for (const sound of reader.read(bytes)) {
      for (const samples of timeline.append(sound)) yield* mixer === null ? [samples] : mixer.push(samples);
    }
  }
  if (mixer !== null) yield mixer.finish();
}

/**
 * Writes decoded sound (`decodeArguments`) as chunks, each a WAV blob. What it answers is not written yet. Doing it
 * again writes the same.
 * @throws ExtractionFailure `audio_too_long` as soon as more was decoded than a recording may have
 */
export async function writeChunks(
  { blobs, asset, maxSeconds, line }: SoundTarget,
  decoded: AsyncIterable<Uint8Array>,
): Promise<Sound> {
  const cutter = new SoundCutter();
  const chunks: SoundChunk[] = [];
  const keep = async (pieces: readonly SoundPiece[]): Promise<void> => {
    for (const { from, samples } of pieces) {
      const name = `sound-${String(chunks.length + 1).padStart(5, '0')}.wav`;
      await blobs.write(keyOf(asset, name), wavOf(samples));
      chunks.push({ name, start: secondsOf(from), end: secondsOf(from + samples.length) });
    }
  };
  for await (const samples of inOneChannel(decoded, line)) {
    await keep(cutter.push(samples));
    if (cutter.length > maxSeconds * sampleRate)
      throw new ExtractionFailure('audio_too_long', `more than ${maxSeconds} s were decoded`);
  }
  await keep(cutter.finish());
  return { seconds: secondsOf(cutter.length), chunks };
}

/** Writes `sound.json` last, so that it only names existing chunks. */
export async function writeSound(blobs: Blobs, asset: Asset, sound: Sound): Promise<void> {
  await blobs.write(keyOf(asset, derivedNames.sound), Buffer.from(JSON.stringify(sound)));
}

import { sampleRate } from './ffmpeg.ts';
import type { TimedSound } from './timed-sound.ts';
import { samplesOf } from './wav.ts';

/** Tolerated delay of a block, in samples: recorders and containers have coarse timestamps. */
const toleratedDelay = sampleRate / 10;
/**
 * Blocks shorter than this have no usable timestamp: timestamps are distinct milliseconds, so short blocks push each
 * other back.
 */
const minTimed = sampleRate / 500;
/** Silence is filled in blocks of this length. */
const silence = sampleRate;

/** Format of the decoded audio. */
export interface SoundFormat {
  channels: number;
  /**
   * Whether its timestamps come from a container. A stream of frames has none, and computed ones are wrong if the
   * sample rate changes.
   */
  isTimed: boolean;
}

/**
 * Places blocks of audio at their time, so that a sample's index is its time in the recording: silence fills the start
 * and the gaps, and audio before the recording's start is dropped. A later block whose timestamp overlaps earlier audio
 * is appended after it: a wrong timestamp is more likely than repeated audio.
 */
export class Timeline {
  private readonly format: SoundFormat;
  /** Index after the last sample. */
  private position = 0;

  constructor(format: SoundFormat) {
    this.format = format;
  }

  /** Returns the samples to append for a block; channels are interleaved. */
  *append({ milliseconds, samples }: TimedSound): Generator<Int16Array, void, undefined> {
    const { channels, isTimed } = this.format;
    const hasTimestamp = isTimed && samples.length / 2 >= minTimed * channels;
    const distance = hasTimestamp ? Math.round((milliseconds * sampleRate) / 1000) - this.position : 0;
    const isFirst = this.position === 0;
    for (let left = isFirst || distance > toleratedDelay ? distance : 0; left > 0; left -= silence) {
      const length = Math.min(left, silence);
      this.position += length;
      yield new Int16Array(length * channels);
    }
    const kept = samplesOf(samples).subarray(isFirst ? Math.max(0, -distance) * channels : 0);
    this.position += kept.length / channels;
    if (kept.length > 0) yield kept;
  }
}

import { sampleRate } from './ffmpeg.ts';
import type { TimedSound } from './timed-sound.ts';
import { samplesOf } from './wav.ts';

/** Samples that a stretch may come too late: recorders and containers count times that coarsely. */
const forgiven = sampleRate / 10;
/** Times are counted in milliseconds, and none comes twice: those of shorter stretches are pushed on by one another. */
const minTimed = sampleRate / 500;
/** Silence is filled in pieces of this length. */
const silence = sampleRate;

/** What is known of the sound that comes. */
export interface SoundLine {
  channels: number;
  /**
   * Whether its times are those of a container: a stream of frames has none, and those that are counted for it go wrong
   * where its sample rate changes.
   */
  isTimed: boolean;
}

/**
 * Puts stretches of sound at their places: a track that begins late begins with silence, gaps are filled with it, and
 * what lies before the recording's start is left out. So a sample's place is its time in the recording. What comes too
 * early later on follows what came before it: it is more likely a wrong time than a sound that came twice.
 */
export class Timeline {
  private readonly line: SoundLine;
  /** Place behind the last sample. */
  private position = 0;

  constructor(line: SoundLine) {
    this.line = line;
  }

  /** The samples that follow, those of several channels in turns. */
  *place({ milliseconds, samples }: TimedSound): Generator<Int16Array, void, undefined> {
    const { channels, isTimed } = this.line;
    const isTold = isTimed && samples.length / 2 >= minTimed * channels;
    const distance = isTold ? Math.round((milliseconds * sampleRate) / 1000) - this.position : 0;
    const isFirst = this.position === 0;
    for (let left = isFirst || distance > forgiven ? distance : 0; left > 0; left -= silence) {
      const length = Math.min(left, silence);
      this.position += length;
      yield new Int16Array(length * channels);
    }
    const kept = samplesOf(samples).subarray(isFirst ? Math.max(0, -distance) * channels : 0);
    this.position += kept.length / channels;
    if (kept.length > 0) yield kept;
  }
}

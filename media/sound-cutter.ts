import { frameSamples, levelOf, noLevel, pauseLevel, quietRuns, silenceLevel, type Frames } from './levels.ts';

/** A piece of a recording's audio. */
export interface SoundPiece {
  /** Index of its first sample in the recording. */
  from: number;
  samples: Int16Array;
}

const framesASecond = 50;
/**
 * Range of the cut in frames from the start of the piece. Whisper hears 30 s at once: a longer piece costs it two runs.
 */
const window: Frames = { from: 20 * framesASecond, to: 29 * framesASecond };
/** Where to cut if there is no pause, and how much the next piece repeats, so that no word is lost. */
const hardCut = 28 * framesASecond;
const overlap = 1.5 * framesASecond;
/** Shortest pause to cut at: gaps between words, and within plosives, are shorter. */
const minPause = 0.16 * framesASecond;
/** Silence that is kept before and after sound. */
const margin = 0.3 * framesASecond;
/** A silence of this length always ends a piece. */
const longSilence = 3 * framesASecond;

/**
 * Cuts audio (16 kHz, mono, 16 bits) into pieces of about half a minute, at pauses if there are any. Silence is
 * omitted. The pieces do not depend on the size of the portions. Memory holds about 40 seconds plus one portion.
 */
export class SoundCutter {
  private samples = new Int16Array(64 * framesASecond * frameSamples);
  private held = 0;
  /** Levels of the complete buffered frames. */
  private levels: number[] = [];
  /** Index in the recording of the first buffered sample. */
  private origin = 0;

  /** Length of the audio so far, in samples. */
  get length(): number {
    return this.origin + this.held;
  }

  /** Adds samples. Returns the pieces that are complete. */
  push(samples: Int16Array): SoundPiece[] {
    if (this.held + samples.length > this.samples.length) {
      const larger = new Int16Array(this.held + samples.length + this.samples.length / 2);
      larger.set(this.samples.subarray(0, this.held));
      this.samples = larger;
    }
    this.samples.set(samples, this.held);
    this.held += samples.length;
    this.measure();
    return this.cut(false);
  }

  /** Ends the input; returns the last pieces. */
  finish(): SoundPiece[] {
    // The last frame may be incomplete.
    const rest = this.held - this.levels.length * frameSamples;
    if (rest > 0) this.levels.push(levelOf(this.samples.subarray(this.held - rest, this.held)));
    return this.cut(true);
  }

  private measure(): void {
    for (let at = this.levels.length * frameSamples; at + frameSamples <= this.held; at += frameSamples) {
      this.levels.push(levelOf(this.samples.subarray(at, at + frameSamples)));
    }
  }

  private cut(isEnd: boolean): SoundPiece[] {
    const pieces: SoundPiece[] = [];
    for (;;) {
      this.dropSilence();
      const sounds = this.levels.some((level) => level > silenceLevel);
      if (!sounds || (!isEnd && this.levels.length < window.to)) return pieces;
      pieces.push(this.take());
    }
  }

  /** Drops the silence before the first sound. */
  private dropSilence(): void {
    const first = this.levels.findIndex((level) => level > silenceLevel);
    this.drop((first < 0 ? this.levels.length : first) - margin);
  }

  private drop(frames: number): void {
    if (frames <= 0) return;
    const samples = Math.min(frames * frameSamples, this.held);
    this.samples.copyWithin(0, samples, this.held);
    this.held -= samples;
    this.origin += samples;
    this.levels.splice(0, frames);
  }

  /** Removes the next piece, whose sound begins within the first frames. */
  private take(): SoundPiece {
    const { end, next } = this.nextCut();
    const samples = this.samples.slice(0, Math.min(end * frameSamples, this.held));
    const piece = { from: this.origin, samples };
    this.drop(next);
    return piece;
  }

  /** Where the next piece ends, and where the one after it begins, in buffered frames. */
  private nextCut(): { end: number; next: number } {
    const [silence] = quietRuns(
      this.levels,
      { from: margin, to: Math.min(this.levels.length, window.to) },
      silenceLevel,
      longSilence,
    );
    if (silence !== undefined) return { end: silence.from + margin, next: silence.to - margin };
    if (this.levels.length < window.to) {
      const last = this.levels.findLastIndex((level) => level > silenceLevel);
      return { end: Math.min(this.levels.length, last + 1 + margin), next: this.levels.length };
    }
    const pause = this.longestPause();
    if (pause === null) return { end: hardCut, next: hardCut - overlap };
    const middle = Math.floor((pause.from + pause.to) / 2);
    return { end: middle, next: middle };
  }

  /** The longest pause of the window, or the first of several; null if there is none. */
  private longestPause(): Frames | null {
    const level = pauseLevel(this.levels.slice(0, window.to));
    const pauses = quietRuns(this.levels, window, Math.max(level ?? noLevel, silenceLevel), minPause);
    return pauses.reduce<Frames | null>(
      (longest, pause) => (longest === null || pause.to - pause.from > longest.to - longest.from ? pause : longest),
      null,
    );
  }
}

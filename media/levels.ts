import { sampleRate } from './ffmpeg.ts';

/** Samples of a frame: 20 ms, short against a pause in speech, long against a period of a voice. */
export const frameSamples = sampleRate / 50;
/** Level of a frame without any sound, in dB. */
export const noLevel = -96;
/**
 * Frames up to this level (dB of full scale) hold no sound: an amplitude of some 30 of 32,768, below the noise of any
 * room that was recorded for its speech and above that of a converter.
 */
export const silenceLevel = -60;

/** Root mean square of a frame of 16-bit samples in decibels of full scale, at least `noLevel`. */
export function levelOf(frame: Int16Array): number {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  return sum === 0 ? noLevel : Math.max(noLevel, 10 * Math.log10(sum / frame.length / 32768 ** 2));
}

/** A run of frames, `to` exclusive. */
export interface Frames {
  from: number;
  to: number;
}

/** The runs of at least `least` frames in a stretch whose levels are all at most `level`. */
export function quietRuns(levels: readonly number[], stretch: Frames, level: number, least: number): Frames[] {
  const runs: Frames[] = [];
  let from = stretch.from;
  for (let at = stretch.from; at <= stretch.to; at++) {
    if (at < stretch.to && (levels[at] ?? noLevel) <= level) continue;
    if (at - from >= least) runs.push({ from, to: at });
    from = at + 1;
  }
  return runs;
}

/**
 * Minimum distance between loud and quiet frames at which the quiet ones are pauses and not the ups and downs of a
 * noise, in dB.
 */
const minContrast = 10;

/**
 * The level up to which frames belong to pauses, estimated from the levels themselves: a third of the way from the
 * quiet ones (10th percentile) to the loud ones (90th). Null if all are about as loud: there are no pauses then.
 */
export function pauseLevel(levels: readonly number[]): number | null {
  const sorted = Float64Array.from(levels).sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? noLevel;
  const [quiet, loud] = [Math.max(at(0.1), silenceLevel), at(0.9)];
  return loud - quiet < minContrast ? null : quiet + (loud - quiet) / 3;
}

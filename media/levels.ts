import { sampleRate } from './ffmpeg.ts';

/** Samples of a frame: 20 ms, shorter than a pause in speech, longer than a period of a voice. */
export const frameSamples = sampleRate / 50;
/** Level of a frame of zeros, in dB. */
export const noLevel = -96;
/**
 * Frames up to this level (dB of full scale) are silent: an amplitude of about 30 of 32,768, below the noise of any
 * room and above that of a converter.
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

/** Runs of at least `minFrames` frames within a range whose levels are all at most `level`. */
export function quietRuns(levels: readonly number[], range: Frames, level: number, minFrames: number): Frames[] {
  const runs: Frames[] = [];
  let from = range.from;
  for (let at = range.from; at <= range.to; at++) {
    if (at < range.to && (levels[at] ?? noLevel) <= level) continue;
    if (at - from >= minFrames) runs.push({ from, to: at });
    from = at + 1;
  }
  return runs;
}

/** Minimum distance in dB between loud and quiet frames; below it the quiet ones are noise, not pauses. */
const minContrast = 10;

/**
 * The level up to which frames are pauses, estimated from all levels: a third of the way from the quiet ones (10th
 * percentile) to the loud ones (90th). Null if all are about equally loud: there are no pauses.
 */
export function pauseLevel(levels: readonly number[]): number | null {
  const sorted = Float64Array.from(levels).sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? noLevel;
  const [quiet, loud] = [Math.max(at(0.1), silenceLevel), at(0.9)];
  return loud - quiet < minContrast ? null : quiet + (loud - quiet) / 3;
}

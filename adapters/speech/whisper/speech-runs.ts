import { sampleRate } from '../wav.ts';

/** A run of sound, in samples; `to` is exclusive. */
export interface Run {
  from: number;
  to: number;
}

/** Samples for each of the detector's probabilities: 32 ms. */
export const windowSamples = 512;
/** Samples before a window that the detector reads again. */
const contextSamples = 64;
/** Probability of speech from which it begins, and below which it ends. */
const begins = 0.5;
const ends = 0.35;
/** Shortest silence that ends a run, in samples. */
export const minSilence = 0.4 * sampleRate;
/** Shortest silence between two words that is distinguished from the closure of a plosive, in samples. */
export const minGap = 0.06 * sampleRate;
/** Shortest run, in samples. */
const minSpeech = 0.1 * sampleRate;

/** Sound as the detector reads it: rows of one window with the samples before it. */
export function detectorRows(samples: Float32Array): { rows: Float32Array<ArrayBuffer>; count: number; width: number } {
  const count = Math.ceil(samples.length / windowSamples);
  const width = windowSamples + contextSamples;
  const rows = new Float32Array(count * width);
  for (let index = 0; index < count; index++) {
    const from = Math.max(0, index * windowSamples - contextSamples);
    const offset = index === 0 ? contextSamples : 0;
    rows.set(samples.subarray(from, (index + 1) * windowSamples), index * width + offset);
  }
  return { rows, count, width };
}

/**
 * The runs in which somebody speaks, by the probability of speech in each window of the sound. Silences shorter
 * than `silence` samples are within them.
 */
export function speechRuns(probabilities: Float32Array, length: number, silence = minSilence): Run[] {
  const runs: Run[] = [];
  let from: number | null = null;
  let quietFrom: number | null = null;
  const close = (to: number): void => {
    if (from !== null && to - from >= minSpeech) runs.push({ from, to });
    from = quietFrom = null;
  };
  probabilities.forEach((probability, index) => {
    const at = index * windowSamples;
    if (probability >= begins) {
      from ??= at;
      quietFrom = null;
    } else if (from !== null && probability < ends) {
      quietFrom ??= at;
      if (at + windowSamples - quietFrom >= silence) close(quietFrom);
    }
  });
  close(quietFrom ?? length);
  return runs;
}

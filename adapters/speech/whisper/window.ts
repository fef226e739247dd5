import { sampleRate } from '../wav.ts';

/** Maximum samples that the model encodes at once: 30 s. */
export const longestPart = 30 * sampleRate;
/** Samples of one position of the encoder. */
const positionSamples = 320;
/** Samples mirrored at each end of the sound, half a window of the Fourier transform. */
const mirrored = 200;
/**
 * Silence after the sound. The model is trained on windows of 30 s, and without silence after the sound it may repeat
 * the text. Each second of the window takes about 35 ms of processor time.
 */
const silenceAfter = 4 * sampleRate;

/** Samples of the window in which sound of that many samples is encoded. */
export function windowFor(samples: number): number {
  const whole = Math.ceil((samples + silenceAfter) / positionSamples) * positionSamples;
  return Math.min(longestPart, whole);
}

/** The sound as the encoder reads it: with silence up to the end of the window, and mirrored at both ends. */
export function padded(samples: Float32Array, window: number): Float32Array<ArrayBuffer> {
  const sound = new Float32Array(window + 2 * mirrored);
  sound.set(samples, mirrored);
  for (let at = 0; at < mirrored; at++) {
    sound[at] = sound[2 * mirrored - at] ?? 0;
    sound[window + mirrored + at] = sound[window + mirrored - 2 - at] ?? 0;
  }
  return sound;
}

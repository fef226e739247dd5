/** Samples of the window of one Fourier transform, at 16 kHz: 25 ms. */
export const windowSamples = 400;
/** Samples from one window to the next: 10 ms. */
export const hopSamples = 160;
/** Frequencies of a Fourier transform of that many samples, 40 Hz apart. */
export const frequencyBins = windowSamples / 2 + 1;
const binHertz = 40;

/** Slaney's mel scale: linear up to 1000 Hz (mel 15), then logarithmic; 8000 Hz is `highestMel`. */
const highestMel = 45.245640471924965;
const linearMel = 15;

function hertzOf(mel: number): number {
  return mel < linearMel ? (mel * 200) / 3 : 1000 * Math.exp(((mel - linearMel) * Math.log(6.4)) / 27);
}

/**
 * Triangular filters of equal area, evenly spaced on the mel scale from 0 to 8000 Hz, as a matrix
 * [frequency bins, mels]: M. Slaney, "Auditory Toolbox", technical report 1998-010, Interval Research; the
 * `norm="slaney"` of librosa.
 */
export function melFilters(mels: number): Float32Array {
  const edges = Array.from({ length: mels + 2 }, (_, index) => hertzOf((highestMel * index) / (mels + 1)));
  const filters = new Float32Array(frequencyBins * mels);
  for (let mel = 0; mel < mels; mel++) {
    const [low = 0, centre = 0, high = 0] = edges.slice(mel, mel + 3);
    for (let bin = 0; bin < frequencyBins; bin++) {
      const hertz = bin * binHertz;
      const height = Math.min((hertz - low) / (centre - low), (high - hertz) / (high - centre));
      filters[bin * mels + mel] = (Math.max(0, height) * 2) / (high - low);
    }
  }
  return filters;
}

/**
 * The discrete Fourier transform of samples under a periodic Hann window, as the kernel of a convolution
 * [2 * frequency bins, 1, window samples]: first the real parts (cosines), then the imaginary parts (negative sines).
 */
export function fourierKernel(): Float32Array {
  const kernel = new Float32Array(2 * frequencyBins * windowSamples);
  for (let bin = 0; bin < frequencyBins; bin++) {
    for (let at = 0; at < windowSamples; at++) {
      const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / windowSamples);
      // The angle is reduced first, because sines of large angles are less exact.
      const angle = (2 * Math.PI * ((bin * at) % windowSamples)) / windowSamples;
      kernel[bin * windowSamples + at] = window * Math.cos(angle);
      kernel[(frequencyBins + bin) * windowSamples + at] = -window * Math.sin(angle);
    }
  }
  return kernel;
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ct2Weights } from './ct2-weights.ts';
import { fourierKernel, frequencyBins, melFilters, windowSamples } from './spectrum.ts';
import { ct2File, smallModel } from './testing/weights.ts';

const { width, heads, layers, positions, words } = smallModel;
const run = promisify(execFile);

/** What run-graphs.ts prints. */
interface Decoded {
  logits: number[];
  attention: number[][];
}
interface Results {
  shapes: Record<string, number[]>;
  inShorterWindow: Record<string, number[]>;
  loudAfter: number[];
  silentAfter: number[];
  allCounted: number[];
  atOnce: Decoded;
  stepwise: Decoded;
  rounded: Decoded;
}

const largestDifference = (one: readonly number[], other: readonly number[]): number =>
  Math.max(...one.map((value, index) => Math.abs(value - (other[index] ?? Infinity))));

describe('the weights of CTranslate2', () => {
  it('are read with their sides, integers and other names', () => {
    const weights = new Ct2Weights(
      ct2File(
        [
          { name: 'a', shape: [2, 3], values: [1, 2, 3, 4, 5, -6.5] },
          { name: 'n', shape: [], values: [-7] },
        ],
        [['b', 'a']],
      ),
    );
    expect(weights.specification).toBe('WhisperSpec');
    expect(weights.floats('b')).toEqual({ shape: [2, 3], values: Float32Array.of(1, 2, 3, 4, 5, -6.5) });
    expect(weights.integer('n')).toBe(-7);
    expect([weights.has('a'), weights.has('c')]).toEqual([true, false]);
  });

  it('are refused where they are of another version, truncated or missing', () => {
    const file = ct2File([{ name: 'a', shape: [2], values: [1, 2] }]);
    expect(() => new Ct2Weights(ct2File([], [], { version: 5 }))).toThrow('binary version 5');
    expect(() => new Ct2Weights(file.subarray(0, file.length - 6))).toThrow('truncated');
    expect(() => new Ct2Weights(file).floats('c')).toThrow('tensor c is missing');
    expect(() => new Ct2Weights(file).integer('a')).toThrow('is no integer');
  });
});

describe('the spectrum', () => {
  it('has mel filters of equal area where they are wider than the distance of two frequencies', () => {
    const mels = 20;
    const filters = melFilters(mels);
    for (let mel = 5; mel < mels; mel++) {
      const heights = Array.from({ length: frequencyBins }, (_, bin) => filters[bin * mels + mel] ?? 0);
      expect(heights.reduce((sum, height) => sum + height * 40, 0)).toBeCloseTo(1, 1);
    }
  });

  it('finds a tone at its frequency', () => {
    const kernel = fourierKernel();
    const bin = 25;
    const power = Array.from({ length: frequencyBins }, (_, index) => {
      let [real, imaginary] = [0, 0];
      for (let at = 0; at < windowSamples; at++) {
        const sample = Math.sin((2 * Math.PI * bin * at) / windowSamples);
        real += sample * (kernel[index * windowSamples + at] ?? 0);
        imaginary += sample * (kernel[(frequencyBins + index) * windowSamples + at] ?? 0);
      }
      return real ** 2 + imaginary ** 2;
    });
    expect(power.indexOf(Math.max(...power))).toBe(bin);
    // Half of the window's sum, squared.
    expect(power[bin]).toBeCloseTo((windowSamples / 4) ** 2, 0);
    expect(power[bin + 3]).toBeCloseTo(0, 3);
  });
});

describe('the graphs of a small model', () => {
  let results: Results;
  beforeAll(async () => {
    const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'testing/run-graphs.ts')]);
    results = JSON.parse(stdout) as Results;
  });

  it('encode sound into keys and values for each layer of the decoder', () => {
    const size = width / heads;
    const expected = Array.from({ length: layers }, (_, layer) => [
      [`k${layer}`, [1, heads, size, positions]],
      [`v${layer}`, [1, heads, positions, size]],
    ]).flat();
    expect(results.shapes).toEqual(Object.fromEntries(expected));
  });

  it('encode a shorter window into fewer positions', () => {
    const half = positions / 2;
    expect(results.inShorterWindow).toMatchObject({
      k0: [1, heads, width / heads, half],
      v1: [1, heads, half, width / heads],
    });
  });

  it('take no notice of what is behind the sound', () => {
    const { loudAfter, silentAfter, allCounted } = results;
    expect(largestDifference(loudAfter, silentAfter)).toBeLessThan(1e-5);
    expect(largestDifference(loudAfter, allCounted)).toBeGreaterThan(1e-3);
  });

  it('decode the same token by token as all at once', () => {
    const { atOnce, stepwise } = results;
    expect(atOnce.logits).toHaveLength(4 * words);
    expect(largestDifference(atOnce.logits, stepwise.logits)).toBeLessThan(1e-4);
    expect(atOnce.attention).toHaveLength(8);
    for (const row of atOnce.attention) expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 4);
  });

  it('decode with integers of 7 bits almost as with floats', () => {
    const { atOnce, rounded } = results;
    const spread = Math.max(...atOnce.logits) - Math.min(...atOnce.logits);
    expect(largestDifference(atOnce.logits, rounded.logits)).toBeLessThan(spread / 10);
    expect(largestDifference(atOnce.logits, rounded.logits)).toBeGreaterThan(0);
  });
});

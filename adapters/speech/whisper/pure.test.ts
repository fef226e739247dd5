import fc from 'fast-check';
import { sampleRate } from '../wav.ts';
import { medianFiltered, tokenFrames, warp } from './alignment.ts';
import { parseWhisperConfig } from './config.ts';
import { lastAttended } from './coverage.ts';
import { fixedRandom, mostProbable, mostProbableLanguage, probabilityOf, sampled } from './decoding.ts';
import { packed, positionOf, quietestPosition, soundOf } from './packing.ts';
import { repeatedPhrase, stuckTokens } from './repetition.ts';
import { detectorRows, minGap, speechRuns, windowSamples, type Run } from './speech-runs.ts';
import { longestPart, padded, windowFor } from './window.ts';
import { wordsInSpeech } from './word-times.ts';

/** Costs that are 0 where a row is at home, and 1 elsewhere. */
function costs(homes: readonly (readonly [number, number])[], columns: number): Float32Array[] {
  return homes.map(([from, to]) =>
    Float32Array.from({ length: columns }, (_, column) => (column >= from && column < to ? 0 : 1)),
  );
}

describe('alignment', () => {
  it('finds where each row begins on the cheapest way', () => {
    const homes = [
      [0, 4],
      [4, 5],
      [5, 11],
      [11, 12],
    ] as const;
    expect(warp(costs(homes, 12))).toEqual([0, 4, 5, 11]);
    expect(warp(costs([[0, 5]], 5))).toEqual([0]);
  });

  it('smooths with a median, mirrored at the ends', () => {
    expect([...medianFiltered(Float32Array.of(0, 0, 9, 0, 0, 5, 5, 5), 3)]).toEqual([0, 0, 0, 0, 0, 5, 5, 5]);
    expect([...medianFiltered(Float32Array.of(4), 7)]).toEqual([4]);
  });

  it('gives tokens the frames that all heads looked at, and leaves the prompt out', () => {
    const [frames, used, heads] = [60, 45, 2];
    const looking = (from: number, to: number): Float32Array =>
      Float32Array.from({ length: heads * frames }, (_, index) => {
        const frame = index % frames;
        return frame >= from && frame < to ? 1 : 0.01;
      });
    const rows = [looking(0, 3), looking(0, 15), looking(15, 30), looking(30, 45)];
    const starts = tokenFrames({ rows, heads, frames, used }, 1);
    expect(starts).toHaveLength(3);
    [0, 15, 30].forEach((frame, index) => expect(Math.abs((starts[index] ?? NaN) - frame)).toBeLessThanOrEqual(1));
  });
});

describe('repetition', () => {
  it('is a phrase that the tokens end with again and again', () => {
    expect(repeatedPhrase([1, 2, 3, 4, 9, 8, 7, 6, 9, 8, 7, 6, 9, 8, 7, 6])).toEqual({ size: 4, times: 3 });
    expect(repeatedPhrase([5, 5, 5, 5, 5, 5, 5, 5])).toEqual({ size: 1, times: 8 });
    expect(repeatedPhrase([5, 5, 5, 5, 5, 5, 5])).toBeNull();
    expect(repeatedPhrase([9, 8, 7, 6, 9, 8, 7, 6])).toBeNull();
  });

  it('is a fault only if the attention stays at one position', () => {
    const ids = [9, 8, 7, 6, 9, 8, 7, 6, 9, 8, 7, 6];
    const frames = 200;
    const lookingAt = (frameOf: (token: number) => number): Float32Array[] =>
      ids.map((_, token) => Float32Array.from({ length: frames }, (_, frame) => (frame === frameOf(token) ? 1 : 0)));
    expect(
      stuckTokens(
        ids,
        lookingAt(() => 100),
        frames,
      ),
    ).toBe(12);
    expect(
      stuckTokens(
        ids,
        lookingAt((token) => token * 10),
        frames,
      ),
    ).toBe(0);
  });
});

describe('speech', () => {
  const windows = (...runs: [count: number, probability: number][]): Float32Array =>
    Float32Array.from(runs.flatMap(([count, probability]) => Array<number>(count).fill(probability)));

  it('ends at a silence of 0.4 s, and shorter ones are within', () => {
    const probabilities = windows([10, 0.1], [20, 0.9], [5, 0.1], [20, 0.9], [40, 0.1], [10, 0.8]);
    expect(speechRuns(probabilities, 105 * windowSamples)).toEqual([
      { from: 10 * windowSamples, to: 55 * windowSamples },
      { from: 95 * windowSamples, to: 105 * windowSamples },
    ]);
  });

  it('ends at shorter silences where they are asked for', () => {
    const probabilities = windows([20, 0.9], [5, 0.1], [20, 0.9]);
    expect(speechRuns(probabilities, 45 * windowSamples, minGap)).toEqual([
      { from: 0, to: 20 * windowSamples },
      { from: 25 * windowSamples, to: 45 * windowSamples },
    ]);
  });

  it('is not what sounds like it for less than 0.1 s, nor what is uncertain from the start', () => {
    expect(speechRuns(windows([10, 0.1], [2, 0.9], [40, 0.1]), 52 * windowSamples)).toEqual([]);
    expect(speechRuns(windows([50, 0.45]), 50 * windowSamples)).toEqual([]);
  });

  it('is looked for in windows with the samples before them', () => {
    const { rows, count, width } = detectorRows(Float32Array.from({ length: 600 }, (_, at) => at + 1));
    expect([count, width]).toEqual([2, 576]);
    expect([...rows.subarray(62, 66)]).toEqual([0, 0, 1, 2]);
    expect([...rows.subarray(width, width + 2)]).toEqual([449, 450]);
    expect(rows[width + 64 + 87]).toBe(600);
    expect(rows[width + 64 + 88]).toBe(0);
    expect(detectorRows(new Float32Array(0)).count).toBe(0);
  });
});

describe('packing', () => {
  const longest = 30 * sampleRate;
  const seconds = ({ from, to }: Run): [number, number] => [from / sampleRate, to / sampleRate];
  const run = (from: number, to: number): Run => ({ from: from * sampleRate, to: to * sampleRate });

  it('leaves long silences out and shares short ones', () => {
    const parts = packed([run(1, 2), run(2.2, 3), run(60, 61)], 100 * sampleRate, longest);
    expect(parts.map((part) => part.map(seconds))).toEqual([
      [
        [0.75, 2.1],
        [2.1, 3.25],
        [59.75, 61.25],
      ],
    ]);
  });

  it('holds parts to their length, divides longer runs, and knows the position of each sample', () => {
    const runs = fc.array(
      fc.record({ pause: fc.integer({ min: 1, max: 40 }), speech: fc.integer({ min: 1, max: 400 }) }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(runs, (lengths) => {
        let at = 0;
        const runs = lengths.map(({ pause, speech }) => {
          const from = at + pause * 1600;
          at = from + speech * 1600;
          return { from, to: at };
        });
        const length = at + 800;
        const parts = packed(runs, length, longest);
        for (const part of parts) {
          const size = part.reduce((sum, { from, to }) => sum + to - from, 0);
          expect(size).toBeLessThanOrEqual(longest);
          expect(positionOf(part, 0, 'start')).toBe(part[0]?.from);
          expect(positionOf(part, size, 'end')).toBe(part.at(-1)?.to);
        }
        const spans = parts.flat();
        spans.slice(1).forEach((span, index) => expect(span.from).toBeGreaterThanOrEqual(spans[index]?.to ?? Infinity));
        // All speech is in some span.
        const covered = spans.reduce((sum, { from, to }) => sum + to - from, 0);
        expect(covered).toBeGreaterThanOrEqual(runs.reduce((sum, { from, to }) => sum + to - from, 0));
      }),
      { numRuns: 50 },
    );
  });

  it('gives the position at a seam to the end of what is before and the start of what is after', () => {
    const part = [
      { from: 100, to: 200 },
      { from: 500, to: 600 },
    ];
    expect([positionOf(part, 100, 'end'), positionOf(part, 100, 'start'), positionOf(part, 150, 'start')]).toEqual([
      200, 500, 550,
    ]);
    const samples = Float32Array.from({ length: 600 }, (_, at) => at);
    expect([...soundOf(samples, part).subarray(98, 102)]).toEqual([198, 199, 500, 501]);
  });
});

describe('the window of a sound', () => {
  it('holds the sound and 4 s of silence, in whole positions, up to 30 s', () => {
    expect(windowFor(sampleRate)).toBe(5 * sampleRate);
    expect(windowFor(sampleRate + 1)).toBe(5 * sampleRate + 320);
    expect(windowFor(27 * sampleRate)).toBe(longestPart);
  });

  it('is mirrored at both ends', () => {
    const sound = padded(
      Float32Array.from({ length: 400 }, (_, at) => at + 1),
      640,
    );
    expect(sound).toHaveLength(1040);
    expect([sound[199], sound[200], sound[201]]).toEqual([2, 1, 2]);
    expect([sound[599], sound[600], sound[839], sound[840]]).toEqual([400, 0, 0, 0]);
  });
});

describe('the end of a text', () => {
  it('is where most heads attended to last', () => {
    const [frames, heads] = [50, 3];
    const looking = (...at: number[]): Float32Array => {
      const row = new Float32Array(heads * frames);
      at.forEach((frame, head) => (row[head * frames + frame] = 1));
      return row;
    };
    expect(lastAttended([looking(5, 6, 7), looking(20, 21, 49), looking(18, 0, 19)], heads)).toBe(21);
    expect(lastAttended([], heads)).toBe(0);
  });

  it('is at the quietest position near it', () => {
    const sound = new Float32Array(2 * sampleRate).fill(0.5).fill(0, 1.2 * sampleRate, 1.24 * sampleRate);
    expect(Math.abs(quietestPosition(sound, sampleRate) / sampleRate - 1.22)).toBeLessThan(0.02);
    expect(quietestPosition(sound, 5 * sampleRate)).toBe(sound.length);
  });
});

describe('the times of words', () => {
  const word = (text: string, start: number, end: number) => ({ text, start, end, confidence: 1 });
  const run = (from: number, to: number): Run => ({ from: from * sampleRate, to: to * sampleRate });
  const times = (words: readonly { start: number; end: number }[]) => words.map(({ start, end }) => [start, end]);

  it('are within speech, and a pause belongs to no word', () => {
    const words = [word(' he', 0.1, 0.5), word(' was', 0.5, 0.8), word(' an', 0.8, 1.3), word(' ill', 1.3, 2)];
    expect(times(wordsInSpeech(words, [run(0.25, 1.02), run(1.15, 1.8)]))).toEqual([
      [0.25, 0.5],
      [0.5, 1.02],
      [1.15, 1.3],
      [1.3, 1.8],
    ]);
  });

  it('stay with the run that they are spoken in where they touch the next one', () => {
    expect(times(wordsInSpeech([word(' well', 0.5, 1.2)], [run(0.4, 1), run(1.15, 2)]))).toEqual([[0.5, 1]]);
  });

  it('are kept where nobody seems to speak, in order and without overlaps', () => {
    const words = [word(' a', 1, 1.4), word(' b', 1.3, 1.5), word(' c', 1.2, 1.6)];
    expect(times(wordsInSpeech(words, []))).toEqual([
      [1, 1.3],
      [1.3, 1.3],
      [1.3, 1.6],
    ]);
  });
});

describe('decoding', () => {
  it('chooses at random by the probabilities, the same each time', () => {
    const logits = (): Float32Array => Float32Array.of(2, 2 + Math.log(3), 9, 0);
    const random = fixedRandom();
    const ids = Array.from({ length: 400 }, () => sampled(logits(), 2, [], { temperature: 1, random }).id);
    const share = ids.filter((id) => id === 1).length / ids.length;
    expect(share).toBeGreaterThan(0.68);
    expect(share).toBeLessThan(0.82);
    const { id, logProbability } = sampled(logits(), 3, [2], { temperature: 0.4, random: () => 0 });
    expect([id, Math.exp(logProbability)]).toEqual([0, expect.closeTo(1 / 4, 5)]);
    expect([1, 2, 3].map(fixedRandom())).toEqual([1, 2, 3].map(fixedRandom()));
  });

  it('chooses the most probable token that is not suppressed', () => {
    const choice = mostProbable(Float32Array.of(1, 5, 3, 9), 3, [1]);
    expect(choice.id).toBe(2);
    expect(Math.exp(choice.logProbability)).toBeCloseTo(1 / (1 + Math.exp(-2)), 5);
    expect(probabilityOf(Float32Array.of(0, 0, 0, 0), 2)).toBeCloseTo(0.25, 5);
  });

  it('guesses the language among those of the model', () => {
    const languages = new Map([
      ['en', 1],
      ['de', 2],
    ]);
    expect(mostProbableLanguage(Float32Array.of(9, 0, 1), languages)).toEqual({
      language: 'de',
      probability: expect.closeTo(1 / (1 + Math.exp(-1)), 5),
    });
    expect(mostProbableLanguage(Float32Array.of(9), new Map())).toBeNull();
  });

  it('reads what it needs of a configuration', () => {
    const fields = { alignment_heads: [[3, 1]], suppress_ids: [1, 2], suppress_ids_begin: [220] };
    expect(parseWhisperConfig(JSON.stringify(fields))).toEqual({
      alignmentHeads: [[3, 1]],
      suppressed: [1, 2],
      suppressedFirst: [220],
    });
    for (const field of Object.keys(fields))
      expect(() => parseWhisperConfig(JSON.stringify({ ...fields, [field]: undefined }))).toThrow(field);
    expect(() => parseWhisperConfig(JSON.stringify({ ...fields, alignment_heads: [[1]] }))).toThrow('pairs');
  });
});

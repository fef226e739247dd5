import fc from 'fast-check';
import { sampleRate } from '../wav.ts';
import { medianFiltered, tokenFrames, warp } from './alignment.ts';
import { parseWhisperConfig } from './config.ts';
import { mostProbable, mostProbableLanguage, probabilityOf } from './decoding.ts';
import { packed, placeOf, soundOf, withinSpeech } from './packing.ts';
import { repeatedPhrase, stuckTokens } from './repetition.ts';
import { detectorRows, speechRuns, windowSamples, type Run } from './speech-runs.ts';

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

  it('is a fault only where the attention stays in its place', () => {
    const ids = [9, 8, 7, 6, 9, 8, 7, 6, 9, 8, 7, 6];
    const frames = 200;
    const lookingAt = (place: (token: number) => number): Float32Array[] =>
      ids.map((_, token) => Float32Array.from({ length: frames }, (_, frame) => (frame === place(token) ? 1 : 0)));
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
  const windows = (...stretches: [count: number, probability: number][]): Float32Array =>
    Float32Array.from(stretches.flatMap(([count, probability]) => Array<number>(count).fill(probability)));

  it('ends at a silence of 0.4 s, and shorter ones are within', () => {
    const probabilities = windows([10, 0.1], [20, 0.9], [5, 0.1], [20, 0.9], [40, 0.1], [10, 0.8]);
    expect(speechRuns(probabilities, 105 * windowSamples)).toEqual([
      { from: 10 * windowSamples, to: 55 * windowSamples },
      { from: 95 * windowSamples, to: 105 * windowSamples },
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

  it('holds parts to their length, divides longer runs, and knows the place of each sample', () => {
    const stretches = fc.array(
      fc.record({ pause: fc.integer({ min: 1, max: 40 }), speech: fc.integer({ min: 1, max: 400 }) }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(stretches, (lengths) => {
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
          expect(placeOf(part, 0, 'start')).toBe(part[0]?.from);
          expect(placeOf(part, size, 'end')).toBe(part.at(-1)?.to);
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

  it('gives the place at a seam to the end of what is before and the start of what is after', () => {
    const part = [
      { from: 100, to: 200 },
      { from: 500, to: 600 },
    ];
    expect([placeOf(part, 100, 'end'), placeOf(part, 100, 'start'), placeOf(part, 150, 'start')]).toEqual([
      200, 500, 550,
    ]);
    const samples = Float32Array.from({ length: 600 }, (_, at) => at);
    expect([...soundOf(samples, part).subarray(98, 102)]).toEqual([198, 199, 500, 501]);
  });

  it('keeps words to the speech that they touch', () => {
    const runs = [
      { from: 100, to: 200 },
      { from: 300, to: 400 },
    ];
    expect(withinSpeech(150, 290, runs)).toEqual({ start: 150, end: 200 });
    expect(withinSpeech(190, 350, runs)).toEqual({ start: 300, end: 350 });
    expect(withinSpeech(210, 290, runs)).toEqual({ start: 210, end: 290 });
  });
});

describe('decoding', () => {
  it('takes the most probable token that is not suppressed', () => {
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

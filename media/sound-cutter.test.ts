import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { skipWithReason } from '../test/support/servers.ts';
import { levelOf, noLevel, pauseLevel } from './levels.ts';
import { SoundCutter, type SoundPiece } from './sound-cutter.ts';
import { speechClips, wordTimes } from './testing/recordings.ts';

const rate = 16_000;

/** Noise like speech: its loudness varies with the syllables. `level` is the amplitude, 0 to 1. */
function babble(seconds: number, level = 0.2): Int16Array {
  const samples = new Int16Array(seconds * rate);
  for (let at = 0, state = 12_345; at < samples.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    samples[at] = (state / 2 ** 30 - 1) * level * (0.6 + 0.4 * Math.sin((at / rate) * 2 * Math.PI * 4)) * 32_767;
  }
  return samples;
}

/** Joins parts; a number is that many seconds of faint room noise. */
function sound(...sections: (Int16Array | number)[]): Int16Array {
  const parts = sections.map((section) => (typeof section === 'number' ? babble(section, 0.003) : section));
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function cut(samples: Int16Array, portions: readonly number[] = [32_768]): SoundPiece[] {
  const cutter = new SoundCutter();
  const pieces: SoundPiece[] = [];
  for (let at = 0, turn = 0; at < samples.length; turn++) {
    const length = portions[turn % portions.length] ?? 1;
    pieces.push(...cutter.push(samples.subarray(at, at + length)));
    at += length;
  }
  pieces.push(...cutter.finish());
  expect(cutter.length).toBe(samples.length);
  return pieces;
}

/** Compares bytes: Jest's matcher takes a second for each minute of audio. */
const areEqual = (one: Int16Array, other: Int16Array): boolean =>
  Buffer.from(one.buffer, one.byteOffset, one.byteLength).equals(
    Buffer.from(other.buffer, other.byteOffset, other.byteLength),
  );

const times = (pieces: readonly SoundPiece[]): [number, number][] =>
  pieces.map(({ from, samples }) => [from / rate, (from + samples.length) / rate]);

describe('levels', () => {
  it('are decibels of full scale', () => {
    expect(levelOf(new Int16Array(320))).toBe(noLevel);
    expect(levelOf(new Int16Array(320).fill(-32_768))).toBeCloseTo(0, 5);
    expect(levelOf(new Int16Array(320).fill(3277))).toBeCloseTo(-20, 1);
  });

  it('distinguish pauses from speech, unless all is equally loud', () => {
    expect(pauseLevel([...Array<number>(20).fill(-55), ...Array<number>(80).fill(-25)])).toBeCloseTo(-45, 0);
    expect(pauseLevel(Array<number>(100).fill(-30))).toBeNull();
  });
});

describe('cutting sound', () => {
  it('keeps a short recording in one chunk', () => {
    const samples = babble(12.3456);
    const [piece, ...others] = cut(samples);
    expect(others).toEqual([]);
    expect(piece === undefined ? false : areEqual(piece.samples, samples)).toBe(true);
  });

  it('cuts in the middle of the longest pause after 20 to 29 seconds', () => {
    const pieces = cut(sound(babble(22), 0.3, babble(4), 0.8, babble(6), 0.2, babble(10)));
    expect(times(pieces)).toEqual([
      [0, expect.closeTo(26.7, 1)],
      [expect.closeTo(26.7, 1), expect.closeTo(43.3, 1)],
    ]);
  });

  it('cuts with an overlap if there is no pause', () => {
    expect(times(cut(babble(100)))).toEqual([
      [0, 28],
      [26.5, 54.5],
      [53, 81],
      [79.5, 100],
    ]);
  });

  it('finds nothing in silence', () => {
    expect(cut(new Int16Array(200 * rate))).toEqual([]);
    expect(cut(Int16Array.from({ length: 50 * rate }, (_, at) => (at % 3) - 1))).toEqual([]);
    expect(cut(new Int16Array(0))).toEqual([]);
  });

  it('omits long silences but keeps a margin around sound', () => {
    const silence = new Int16Array(60 * rate);
    expect(times(cut(sound(silence, babble(5), silence, babble(2), silence)))).toEqual([
      [expect.closeTo(59.7, 1), expect.closeTo(65.3, 1)],
      [expect.closeTo(124.7, 1), expect.closeTo(127.3, 1)],
    ]);
  });

  it('does not depend on the size of the portions', () => {
    const samples = sound(babble(24), 0.4, babble(30), new Int16Array(5 * rate), babble(40));
    const whole = cut(samples, [samples.length]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 }), (portions) => {
        expect(times(cut(samples, portions))).toEqual(times(whole));
      }),
      { numRuns: 8 },
    );
  });

  it('loses no sound, and creates no chunk longer than 29 seconds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ loud: fc.boolean(), tenths: fc.integer({ min: 1, max: 250 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        (sections) => {
          const samples = sound(
            ...sections.map(({ loud, tenths }) => (loud ? babble(tenths / 10) : new Int16Array((tenths / 10) * rate))),
          );
          // Every piece is erased from it: what remains was lost.
          const lost = samples.slice();
          for (const { from, samples: held } of cut(samples)) {
            expect(held.length).toBeLessThanOrEqual(29 * rate);
            expect(areEqual(held, samples.subarray(from, from + held.length))).toBe(true);
            lost.fill(0, from, from + held.length);
          }
          expect(lost.findIndex((sample) => sample > 200)).toBe(-1);
        },
      ),
      { numRuns: 8 },
    );
  });
});

const clips = speechClips().filter((path) => path.endsWith('.wav'));
const aligned = clips.find((path) => wordTimes(path) !== null);
if (aligned === undefined) skipWithReason('cutting real speech', 'the speech samples are missing');
else
  describe('cutting real speech', () => {
    it('cuts between words', () => {
      const file = readFileSync(aligned);
      const at = file.indexOf('data') + 8;
      const clip = new Int16Array(
        file.buffer.slice(file.byteOffset + at, file.byteOffset + at + ((file.length - at) & ~1)),
      );
      const words = (wordTimes(aligned) ?? []).filter(({ word }) => !word.startsWith('<'));
      expect(words.length).toBeGreaterThan(5);
      const length = clip.length / rate;
      const pieces = times(cut(sound(...Array<Int16Array>(40).fill(clip))));
      expect(pieces.length).toBeGreaterThan(3);
      for (const [, end] of pieces.slice(0, -1)) {
        const inClip = end % length;
        // Within 30 ms: the alignment has its own error.
        expect(words.filter(({ start, end: stop }) => start + 0.03 < inClip && inClip < stop - 0.03)).toEqual([]);
      }
    });
  });

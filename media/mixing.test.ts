import { StereoMixer } from './mixing.ts';
import { sampleRate } from './ffmpeg.ts';

/** Two interleaved channels, each computed from the sample's index. */
function stereo(pairs: number, left: (at: number) => number, right: (at: number) => number): Int16Array {
  return Int16Array.from({ length: pairs * 2 }, (_, index) => Math.round((index % 2 === 0 ? left : right)(index >> 1)));
}

function mixed(samples: Int16Array, portion = samples.length): Int16Array {
  const mixer = new StereoMixer();
  const pieces: Int16Array[] = [];
  for (let at = 0; at < samples.length; at += portion) pieces.push(...mixer.push(samples.subarray(at, at + portion)));
  pieces.push(mixer.finish());
  return Int16Array.from(pieces.flatMap((piece) => [...piece]));
}

const voice = (at: number): number => 8000 * Math.sin(at / 7) * Math.sin(at / 900);
const other = (at: number): number => 6000 * Math.sin(at / 11);
const silent = (): number => 0;

describe('mixing two channels', () => {
  it('yields their mean', () => {
    expect(mixed(stereo(20_000, voice, voice))).toEqual(
      Int16Array.from({ length: 20_000 }, (_, at) => Math.round(voice(at))),
    );
    expect(
      mixed(
        stereo(
          3,
          () => 100,
          () => -40,
        ),
      ),
    ).toEqual(Int16Array.from([30, 30, 30]));
    expect(mixed(stereo(20_000, silent, voice))[1000]).toBe(Math.round(Math.round(voice(1000)) / 2));
  });

  it('yields half their difference if one is inverted', () => {
    const heard = mixed(stereo(20_000, voice, (at) => -voice(at)));
    // The crossfade ends within the first 10 ms.
    expect(heard.subarray(200)).toEqual(
      Int16Array.from({ length: 20_000 }, (_, at) => Math.round(voice(at))).subarray(200),
    );
  });

  it('yields the mean of two voices, whichever is louder', () => {
    expect(mixed(stereo(20_000, voice, other))[5000]).toBe(
      Math.round((Math.round(voice(5000)) + Math.round(other(5000))) / 2),
    );
  });

  it('is unchanged in a pause, and returns to the mean', () => {
    const second = sampleRate;
    const right = (at: number): number => (at < second ? -voice(at) : at < 2 * second ? 0 : voice(at));
    const left = (at: number): number => (at >= second && at < 2 * second ? 5 : voice(at));
    const heard = mixed(stereo(3 * second, left, right));
    const loudest = (from: number, to: number): number => Math.max(...heard.subarray(from, to).map(Math.abs));
    expect(loudest(0, second)).toBeGreaterThan(7000);
    expect(loudest(second + 200, 2 * second)).toBeLessThan(5);
    expect(loudest(2 * second, 3 * second)).toBeGreaterThan(7000);
  });

  it('does not depend on the size of the portions', () => {
    const samples = stereo(30_000, voice, (at) => (at < 9000 ? voice(at) : -voice(at)));
    for (const portion of [2, 999, 16_384]) expect(mixed(samples, portion)).toEqual(mixed(samples));
  });

  it('does not overflow', () => {
    expect(
      mixed(
        stereo(
          100,
          () => -32_768,
          () => -32_768,
        ),
      ),
    ).toEqual(new Int16Array(100).fill(-32_768));
    expect(
      Math.max(
        ...mixed(
          stereo(
            10_000,
            () => 32_767,
            () => -32_768,
          ),
        ),
      ),
    ).toBe(32_767);
  });
});

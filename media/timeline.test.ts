import { Timeline } from './timeline.ts';

/** So many milliseconds of samples of one value, in one channel. */
function sound(milliseconds: number, length: number, value: number): { milliseconds: number; samples: Uint8Array } {
  const samples = Buffer.alloc(length * 32);
  for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(value, at);
  return { milliseconds, samples };
}

/** What was placed, as runs of one value: the value, and milliseconds. */
function placed(
  stretches: readonly { milliseconds: number; samples: Uint8Array }[],
  line = { channels: 1, isTimed: true },
): [number, number][] {
  const timeline = new Timeline(line);
  const runs: [number, number][] = [];
  for (const sample of stretches.flatMap((stretch) =>
    [...timeline.place(stretch)].flatMap((samples) => [...samples]),
  )) {
    const last = runs.at(-1);
    if (last?.[0] === sample) last[1] += 1;
    else runs.push([sample, 1]);
  }
  return runs.map(([value, samples]) => [value, samples / 16]);
}

describe('stretches of sound', () => {
  it('follow each other, and begin late after silence', () => {
    expect(placed([sound(0, 50, 1), sound(50, 50, 2)])).toEqual([
      [1, 50],
      [2, 50],
    ]);
    expect(placed([sound(2500, 50, 1), sound(2550, 50, 2)])).toEqual([
      [0, 2500],
      [1, 50],
      [2, 50],
    ]);
    expect(placed([sound(30, 50, 1)])).toEqual([
      [0, 30],
      [1, 50],
    ]);
  });

  it('leave gaps that are filled, but no small ones', () => {
    expect(placed([sound(0, 50, 1), sound(150, 50, 2), sound(3000, 50, 3)])).toEqual([
      [1, 50],
      [2, 50],
      [0, 2900],
      [3, 50],
    ]);
  });

  it('lose what lies before the start', () => {
    expect(placed([sound(-70, 50, 1), sound(-20, 50, 2), sound(30, 50, 3)])).toEqual([
      [2, 30],
      [3, 50],
    ]);
  });

  it('are all heard where their times go back', () => {
    expect(placed([sound(0, 1000, 1), sound(200, 500, 2), sound(700, 500, 3), sound(2000, 50, 4)])).toEqual([
      [1, 1000],
      [2, 500],
      [3, 500],
      [4, 50],
    ]);
  });

  it('are not pushed on by each other where they are shorter than times are counted', () => {
    expect(placed(Array.from({ length: 1000 }, (_, index) => sound(index, 0.5, 1)))).toEqual([[1, 500]]);
  });

  it('follow each other where nothing tells their times', () => {
    expect(placed([sound(0, 50, 1), sound(9000, 50, 2)], { channels: 1, isTimed: false })).toEqual([
      [1, 50],
      [2, 50],
    ]);
  });

  it('of two channels have as much silence in each', () => {
    expect(placed([sound(100, 50, 1)], { channels: 2, isTimed: true })).toEqual([
      [0, 200],
      [1, 50],
    ]);
  });
});

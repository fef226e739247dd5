import { Timeline } from './timeline.ts';

/** A block of one value in one channel; times in milliseconds. */
function sound(milliseconds: number, length: number, value: number): { milliseconds: number; samples: Uint8Array } {
  const samples = Buffer.alloc(length * 32);
  for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(value, at);
  return { milliseconds, samples };
}

/** The resulting samples as runs of one value: the value, and milliseconds. */
function placed(
  blocks: readonly { milliseconds: number; samples: Uint8Array }[],
  line = { channels: 1, isTimed: true },
): [number, number][] {
  const timeline = new Timeline(line);
  const runs: [number, number][] = [];
  for (const sample of blocks.flatMap((block) => [...timeline.append(block)].flatMap((samples) => [...samples]))) {
    const last = runs.at(-1);
    if (last?.[0] === sample) last[1] += 1;
    else runs.push([sample, 1]);
  }
  return runs.map(([value, samples]) => [value, samples / 16]);
}

describe('a timeline', () => {
  it('joins blocks, after silence if the first one is late', () => {
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

  it('fills gaps except small ones', () => {
    expect(placed([sound(0, 50, 1), sound(150, 50, 2), sound(3000, 50, 3)])).toEqual([
      [1, 50],
      [2, 50],
      [0, 2900],
      [3, 50],
    ]);
  });

  it('drops audio before the start', () => {
    expect(placed([sound(-70, 50, 1), sound(-20, 50, 2), sound(30, 50, 3)])).toEqual([
      [2, 30],
      [3, 50],
    ]);
  });

  it('keeps all blocks if their times go back', () => {
    expect(placed([sound(0, 1000, 1), sound(200, 500, 2), sound(700, 500, 3), sound(2000, 50, 4)])).toEqual([
      [1, 1000],
      [2, 500],
      [3, 500],
      [4, 50],
    ]);
  });

  it('ignores the times of very short blocks', () => {
    expect(placed(Array.from({ length: 1000 }, (_, index) => sound(index, 0.5, 1)))).toEqual([[1, 500]]);
  });

  it('joins blocks of a stream without times', () => {
    expect(placed([sound(0, 50, 1), sound(9000, 50, 2)], { channels: 1, isTimed: false })).toEqual([
      [1, 50],
      [2, 50],
    ]);
  });

  it('fills both channels with silence', () => {
    expect(placed([sound(100, 50, 1)], { channels: 2, isTimed: true })).toEqual([
      [0, 200],
      [1, 50],
    ]);
  });
});

import fc from 'fast-check';
import { secondsAt } from '../../models/timings.ts';
import { withPlayFrom } from './present.ts';

const at = (start: number) => ({ start, end: start + 1, term: 0 });
/** Words at offsets 0, 10 and 20 that begin 0, 4 and 9.5 s after the passage, which begins at 100 s. */
const passage = {
  location: { startSeconds: 100, endSeconds: 112, timingPrecision: 'word' as const, heading: 'h' },
  timings: [0, 0, 10, 400, 20, 950, 25, 1000],
};

describe('where to start playing', () => {
  it('is a little before the first matched word, and never before the passage', () => {
    expect(withPlayFrom(passage, [at(20), at(10)])).toEqual({
      startSeconds: 100,
      endSeconds: 112,
      playFromSeconds: 102.5,
      timingPrecision: 'word',
      heading: 'h',
    });
    expect(withPlayFrom(passage, [at(20)]).playFromSeconds).toBe(108);
    expect(withPlayFrom(passage, [at(0)]).playFromSeconds).toBe(100);
    expect(withPlayFrom(passage, [at(2)]).playFromSeconds).toBe(100);
  });

  it('is the start of a passage found by meaning alone, or without timings', () => {
    expect(withPlayFrom(passage, []).playFromSeconds).toBe(100);
    expect(withPlayFrom({ location: { source: 'slide', startSeconds: 7, endSeconds: 9 } }, [at(3)])).toEqual({
      source: 'slide',
      startSeconds: 7,
      endSeconds: 9,
      playFromSeconds: 7,
    });
  });

  it('is absent where nothing can be played', () => {
    expect(withPlayFrom({ location: { page: 3 } }, [at(3)])).toEqual({ page: 3 });
  });
});

describe('the time of an offset in speech', () => {
  it('runs evenly between two timings and stands still outside of them', () => {
    expect([0, 5, 10, 15, 20, 24, 25, 900].map((offset) => secondsAt(passage, offset))).toEqual([
      100, 102, 104, 106.75, 109.5, 109.9, 110, 110,
    ]);
    expect(secondsAt({ ...passage, timings: [4, 200, 4, 300] }, 0)).toBe(102);
    expect(secondsAt({ ...passage, timings: [] }, 3)).toBe(100);
    expect(secondsAt({ location: passage.location }, 3)).toBeNull();
  });

  it('never goes back with the text', () => {
    const step = fc.tuple(fc.nat(50), fc.nat(500));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.nat(500), fc.nat(500), (steps, one, other) => {
        let [offset, time] = [0, 0];
        const timings = steps.flatMap(([further, later]) => [(offset += further), (time += later)]);
        const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
        expect(secondsAt({ ...passage, timings }, earlier)).toBeLessThanOrEqual(
          secondsAt({ ...passage, timings }, later) ?? 0,
        );
      }),
    );
  });
});

import { Pace } from './pace.ts';

describe('a pace', () => {
  it('allows a burst immediately, and then one per interval', () => {
    const pace = new Pace({ burst: 3, perSecond: 40 });
    for (let time = 0; time < 3; time++) {
      expect(pace.wait(1000)).toBe(0);
      pace.done(1000);
    }
    expect(pace.wait(1000)).toBeCloseTo(25);
    expect(pace.wait(1010)).toBeCloseTo(15);
    expect(pace.wait(1025)).toBe(0);
  });

  it('saves at most one burst, and has no debt for early work', () => {
    const pace = new Pace({ burst: 2, perSecond: 10 });
    for (let time = 0; time < 10; time++) pace.done(0);
    expect(pace.wait(0)).toBeCloseTo(100);
    expect(pace.wait(60_000)).toBe(0);
    for (let time = 0; time < 2; time++) pace.done(60_000);
    expect(pace.wait(60_000)).toBeCloseTo(100);
  });
});

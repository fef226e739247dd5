import { TokenBucket } from './token-bucket.ts';

describe('a token bucket', () => {
  it('allows a burst immediately, and then one per interval', () => {
    const bucket = new TokenBucket({ burst: 3, perSecond: 40 });
    for (let time = 0; time < 3; time++) {
      expect(bucket.wait(1000)).toBe(0);
      bucket.done(1000);
    }
    expect(bucket.wait(1000)).toBeCloseTo(25);
    expect(bucket.wait(1010)).toBeCloseTo(15);
    expect(bucket.wait(1025)).toBe(0);
  });

  it('saves at most one burst, and has no debt for early work', () => {
    const bucket = new TokenBucket({ burst: 2, perSecond: 10 });
    for (let time = 0; time < 10; time++) bucket.done(0);
    expect(bucket.wait(0)).toBeCloseTo(100);
    expect(bucket.wait(60_000)).toBe(0);
    for (let time = 0; time < 2; time++) bucket.done(60_000);
    expect(bucket.wait(60_000)).toBeCloseTo(100);
  });
});

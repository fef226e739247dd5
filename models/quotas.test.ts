import fc from 'fast-check';
import { isReached, percentOf, quotaOf, thresholdsReached } from './quotas.ts';

const quota = fc.integer({ min: 1, max: 2 ** 40 });
const baseUnits = fc.bigInt({ min: 0n, max: 2n ** 62n });
const perUnit = fc.constantFrom(1n, 60_000n, 3_600_000n, 2n ** 20n, 2n ** 30n * 31n);

describe('a quota', () => {
  it.each([
    ['0', 0],
    ['1000', 1_000_000_000],
    ['2.5', 2_500_000],
    ['0.000001', 1],
  ])('is read: %s', (text, millionths) => expect(quotaOf(text)).toBe(millionths));

  it.each(['', '-1', '1e3', '0.0000001', '9000000001', 'all'])('is refused: %j', (text) => {
    expect(() => quotaOf(text)).toThrow('is no quota');
  });

  it('is reached exactly when all of it is used', () => {
    fc.assert(
      fc.property(quota, perUnit, (millionths, unit) => {
        const whole = BigInt(millionths) * unit;
        const least = (whole + 999_999n) / 1_000_000n;
        expect(isReached(millionths, least, unit)).toBe(true);
        expect(isReached(millionths, least - 1n, unit)).toBe(false);
      }),
    );
    expect(isReached(0, 0n, 1n)).toBe(true);
  });

  it('has a percentage with one decimal that grows with use, and is 100 of nothing', () => {
    expect(percentOf(0, 0n, 1n)).toBe(100);
    expect(percentOf(3_000_000, 1n, 1n)).toBe(33.3);
    expect(percentOf(3_000_000, 2n, 1n)).toBe(66.7);
    expect(percentOf(1_000_000, 3n, 1n)).toBe(300);
    expect(percentOf(10_000_000_000, 9995n, 1n)).toBe(100);
    fc.assert(
      fc.property(quota, baseUnits, baseUnits, perUnit, (millionths, one, more, unit) => {
        expect(percentOf(millionths, one + more, unit)).toBeGreaterThanOrEqual(percentOf(millionths, one, unit));
      }),
    );
  });

  it('alerts at the thresholds that are not above it', () => {
    expect(thresholdsReached([80, 100], 79.9)).toEqual([]);
    expect(thresholdsReached([80, 100], 80)).toEqual([80]);
    expect(thresholdsReached([80, 100], 250)).toEqual([80, 100]);
    expect(thresholdsReached([80, 100], null)).toEqual([]);
  });
});

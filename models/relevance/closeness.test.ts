import fc from 'fast-check';
import { closenessOf } from './closeness.ts';

const weights = { inWindow: [1, 2, 4], inPair: [1, 2, 4] };

describe('words that are close together', () => {
  it('count once in each window of ten words', () => {
    expect(closenessOf(weights, []).window).toBe(0);
    expect(closenessOf(weights, [0, 0, 3, 0, 9, 1]).window).toBe(3);
    expect(closenessOf(weights, [0, 0, 10, 1]).window).toBe(2);
    expect(closenessOf(weights, [0, 2, 30, 0, 31, 1]).window).toBe(4);
    expect(closenessOf(weights, [0, 0, 5, 2, 12, 1, 14, 1]).window).toBe(6);
  });

  it('are a pair if they differ and are successive, at most five words apart', () => {
    expect(closenessOf(weights, [0, 0, 5, 2]).pair).toBe(5);
    expect(closenessOf(weights, [0, 0, 6, 2]).pair).toBe(0);
    expect(closenessOf(weights, [0, 2, 1, 2]).pair).toBe(0);
    expect(closenessOf(weights, [0, 1, 1, 0, 2, 2]).pair).toBe(5);
    expect(closenessOf(weights, [3, 1, 3, 2]).pair).toBe(6);
  });

  it('count by their share, and not at all without a weight', () => {
    expect(closenessOf(weights, [0, 0, 1, 7, 2, 2], [1, 1, 0.5])).toEqual({ window: 3, pair: 3 });
  });

  it('are found as by examining every window', () => {
    const hits = fc
      .array(fc.tuple(fc.nat(40), fc.nat(3)), { maxLength: 30 })
      .map((found) => found.sort((one, other) => one[0] - other[0] || one[1] - other[1]));
    fc.assert(
      fc.property(hits, (found) => {
        const windows = found.map(([from]) =>
          [
            ...new Set(found.flatMap(([position, term]) => (position >= from && position < from + 10 ? [term] : []))),
          ].reduce((sum, term) => sum + (weights.inWindow[term] ?? 0), 0),
        );
        expect(closenessOf(weights, found.flat()).window).toBeCloseTo(Math.max(0, ...windows), 9);
      }),
    );
  });
});

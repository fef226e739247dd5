import { fitOrder, type Ranking } from './listwise.ts';

/**
 * Queries whose relevant candidate is the one with the highest 2 * first + second; the third feature says nothing of
 * it.
 */
function rankings(count: number): Ranking[] {
  return Array.from({ length: count }, (_, query) => {
    const features = Array.from({ length: 12 }, (__, at) => [
      ((at * 7 + query * 3) % 12) / 12,
      ((at * 5 + query * 11) % 12) / 12,
      ((at * 11 + query) % 12) / 12 + query,
    ]);
    const sums = features.map(([first = 0, second = 0]) => 2 * first + second);
    const highest = Math.max(...sums);
    return { features, relevant: sums.map((sum) => sum === highest), group: query % 2 === 0 ? 'even' : 'odd' };
  });
}

describe('an order fitted within queries', () => {
  it('weighs features by how they distinguish relevant candidates', () => {
    const [first = 0, second = 0, third = 0] = fitOrder(rankings(60), 3);
    expect(first).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(third);
    expect(third).toBeGreaterThanOrEqual(0);
    const stood = rankings(60).filter(({ features, relevant }) => {
      const scores = features.map(([one = 0, two = 0, three = 0]) => first * one + second * two + third * three);
      return relevant[scores.indexOf(Math.max(...scores))] === true;
    });
    expect(stood.length).toBeGreaterThan(50);
  });

  it('never weighs a feature below 0, and requires relevant and other candidates', () => {
    const turned = rankings(20).map((each) => ({
      ...each,
      features: each.features.map(([one = 0, two = 0]) => [one, -two]),
    }));
    expect(fitOrder(turned, 2)[1]).toBe(0);
    expect(() => fitOrder([{ features: [[1]], relevant: [true], group: 'a' }], 1)).toThrow(
      'relevant and other candidates',
    );
  });
});

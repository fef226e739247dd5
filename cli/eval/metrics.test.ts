import { ndcg, recall, reciprocalRank } from './metrics.ts';

const judged = new Map([
  ['a', 2],
  ['b', 1],
  ['c', 0],
  ['d', -1],
]);

describe('measures of an order', () => {
  it('nDCG is 1 for the best order and counts grades and places', () => {
    expect(ndcg(['a', 'b'], judged, 10)).toBe(1);
    expect(ndcg(['b', 'a'], judged, 10)).toBeCloseTo((1 + 2 / Math.log2(3)) / (2 + 1 / Math.log2(3)), 12);
    expect(ndcg(['x', 'c', 'd'], judged, 10)).toBe(0);
    expect(ndcg(['x', 'a'], judged, 1)).toBe(0);
    expect(ndcg(['a'], new Map(), 10)).toBe(0);
  });

  it('recall counts the relevant ones among the first', () => {
    expect(recall(['x', 'b', 'a'], judged, 2)).toBe(0.5);
    expect(recall(['b', 'a'], judged, 100)).toBe(1);
    expect(recall(['a'], new Map([['c', 0]]), 100)).toBe(0);
  });

  it('the reciprocal rank is that of the first relevant one', () => {
    expect(reciprocalRank(['x', 'c', 'b', 'a'], judged, 10)).toBeCloseTo(1 / 3, 12);
    expect(reciprocalRank(['x', 'c', 'b'], judged, 2)).toBe(0);
    expect(reciprocalRank([], judged, 10)).toBe(0);
  });
});

import fc from 'fast-check';
import { boundOf, decodeBlocks, encodeBlocks, highestShare } from './block-bounds.ts';
import { PostingList } from './posting-list.ts';

const posting = fc.record({ often: fc.integer({ min: 1, max: 40 }), length: fc.integer({ min: 0, max: 1000 }) });
const norms = [
  { fixed: 0.3, perWord: 0.9 / 150 },
  { fixed: 0.3, perWord: 0.9 / 3 },
];

function listOf(postings: readonly { often: number; length: number }[]): PostingList {
  const list = new PostingList();
  for (const [ordinal, { often, length }] of postings.entries()) list.add(1, ordinal, often, length);
  return list;
}

describe('the bound of a block', () => {
  it('is at or above the share of every passage, whatever the average length', () => {
    fc.assert(
      fc.property(fc.array(posting, { minLength: 1, maxLength: 30 }), (postings) => {
        const bound = boundOf(listOf(postings), 0, postings.length);
        expect(Number.isSafeInteger(bound)).toBe(true);
        for (const norm of norms) {
          const shares = postings.map(({ often, length }) => often / (often + norm.fixed + norm.perWord * length));
          expect(highestShare(bound, norm)).toBeGreaterThanOrEqual(Math.max(...shares));
        }
      }),
    );
  });

  it('is the highest share where four pairs of occurrences and words say all', () => {
    const postings = [
      { often: 1, length: 20 },
      { often: 2, length: 80 },
      { often: 2, length: 90 },
      { often: 3, length: 200 },
      { often: 7, length: 300 },
    ];
    for (const norm of norms) {
      const shares = postings.map(({ often, length }) => often / (often + norm.fixed + norm.perWord * length));
      expect(highestShare(boundOf(listOf(postings), 0, 5), norm)).toBe(Math.max(...shares));
      expect(highestShare(boundOf(listOf(postings), 1, 2), norm)).toBe(shares[1]);
    }
  });

  it('is the same after it was stored', () => {
    const blocks = [
      { first: 1, last: 2 ** 52, bound: 2 ** 52 - 1 },
      { first: 2 ** 52 + 1, last: 2 ** 53 - 1, bound: 513 },
    ];
    const stored: object[] = [];
    decodeBlocks(encodeBlocks(blocks), (first, last, bound) => stored.push({ first, last, bound }));
    expect(stored).toEqual(blocks);
  });
});

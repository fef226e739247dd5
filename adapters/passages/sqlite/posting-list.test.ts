import { rowId } from './connection.ts';
import { PostingList } from './posting-list.ts';

/** Revision, ordinal, occurrences, words. */
type Posting = [number: number, ordinal: number, occurrences: number, length: number];

function listOf(postings: readonly Posting[]): PostingList {
  const list = new PostingList();
  for (const posting of postings) list.add(...posting);
  return list;
}

function postingsOf(list: PostingList): number[][] {
  return Array.from({ length: list.size }, (_, at) => [
    list.numbers[at] ?? -1,
    list.ordinals[at] ?? -1,
    list.occurrences[at] ?? -1,
    list.lengths[at] ?? -1,
  ]);
}

const largest: Posting = [2 ** 32 - 1, 2 ** 21 - 1, 70_000, 1_000_000];
const few: Posting[] = [[1, 0, 1, 0], [1, 1, 2, 127], [1, 500, 1, 128], [2, 0, 300, 200], largest];

describe('a list of postings', () => {
  it('is the same after it was stored, up to the largest numbers', () => {
    const [block, ...more] = listOf(few).blocks();
    expect(more).toEqual([]);
    expect([block?.first, block?.last]).toEqual([rowId(1, 0), rowId(largest[0], largest[1])]);
    const stored = new PostingList();
    stored.decode(block?.bytes ?? new Uint8Array());
    expect(postingsOf(stored)).toEqual(few);
  });

  it('is stored in blocks of bounded size, in order, however it was made', () => {
    const many = Array.from({ length: 1000 }, (_, at): Posting => [1 + Math.floor(at / 3), at % 3, 1 + (at % 4), at]);
    const shuffled = many.toSorted(([, , , one], [, , , other]) => ((one * 7919) % 1000) - ((other * 7919) % 1000));
    const blocks = listOf(shuffled).blocks();
    expect(blocks).toHaveLength(4);
    const stored = new PostingList();
    for (const { bytes } of blocks) stored.decode(bytes);
    expect(postingsOf(stored)).toEqual(many);
    for (const [at, { first }] of blocks.slice(1).entries())
      expect(first).toBeGreaterThan(blocks[at]?.last ?? Infinity);
  });

  it('leaves out passages', () => {
    const [first, , ...others] = few;
    const list = listOf(few).without((number, ordinal) => number === 1 && ordinal === 1);
    expect(postingsOf(list)).toEqual([first, ...others]);
  });

  it('has no blocks if it is empty', () => {
    expect(new PostingList().blocks()).toEqual([]);
  });
});

import { randomNumbers } from '../../../bench/vocabulary.ts';
import { nthHighest, TopK, type Valued } from './top-k.ts';

const random = randomNumbers(5);

/** The reference: one sort by value, then by id. */
function sortedAll(all: readonly Valued[], limit: number): Valued[] {
  return all.toSorted((one, other) => other.value - one.value || one.id - other.id).slice(0, limit);
}

describe('TopK', () => {
  it.each([
    [1, 1000],
    [3, 1000],
    [1000, 1000],
    [4000, 3],
    [4000, 1],
  ])('keeps the same passages as a complete sort: %i values, %i passages', (values, passages) => {
    const all = Array.from({ length: passages * 5 }, (_, id): Valued => ({
      value: Math.floor(random() * values),
      id: (id * 7919) % 100_003,
    }));
    for (const limit of [1, 2, 200, 1000]) {
      const best = new TopK(limit);
      for (const each of all) if (each.value >= best.threshold) best.add(each);
      expect(best.sorted()).toEqual(sortedAll(all, limit));
    }
  });
});

describe('nthHighest', () => {
  const lists: [string, number[]][] = [
    ['one', [3]],
    ['two', [1, 2]],
    ['rising', Array.from({ length: 50 }, (_, index) => index)],
    ['falling', Array.from({ length: 50 }, (_, index) => -index)],
    ['equal', Array.from({ length: 50 }, () => 7)],
    ['few different', Array.from({ length: 200 }, (_, index) => (index * 7919) % 3)],
    ['mixed', Array.from({ length: 500 }, (_, index) => Math.sin(index * 12.9898) * 43758.5453)],
  ];
  it.each(lists)('returns the value at the rank of the sorted list: %s', (_, list) => {
    const sorted = list.toSorted((one, other) => other - one);
    // Values after `length` are ignored.
    const found = list.map((_each, index) =>
      nthHighest(Float64Array.of(...list, Infinity, -Infinity), list.length, index + 1),
    );
    expect(found).toEqual(sorted);
  });
});

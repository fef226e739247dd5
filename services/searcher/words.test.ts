import fc from 'fast-check';
import { WordCollector, Words, type TextWord } from './words.ts';

const stem = fc.constantFrom('a', 'b', 'ab', 'aba', 'ba', 'pump', 'pumps', '漢', '😀');
const lists = fc.array(stem, { maxLength: 40 }).map((stems) => stems.map((each, place): TextWord => ({ start: place * 3, end: place * 3 + 2, stem: each })));

describe('words in columns', () => {
  it('are those that were given', () => {
    fc.assert(fc.property(lists, (list) => {
      const words = Words.of(list);
      expect(words.length).toBe(list.length);
      expect(list.map((_, place) => ({ start: words.startOf(place), end: words.endOf(place), stem: words.stemsOf(place, place + 1) }))).toEqual(list);
      expect([words.startOf(list.length), words.endOf(list.length), words.endOf(-1)]).toEqual([Infinity, undefined, undefined]);
    }));
  });

  it('are found by their whole stems', () => {
    fc.assert(fc.property(lists, stem, (list, sought) => {
      expect(Words.of(list).withStem(sought)).toEqual(list.flatMap((word, place) => (word.stem === sought ? [place] : [])));
    }));
    expect(Words.of([{ start: 0, end: 1, stem: 'a' }]).withStem('')).toEqual([]);
  });

  it('give the stems of a part of the text', () => {
    fc.assert(fc.property(lists, fc.nat(40), fc.nat(40), (list, first, after) => {
      const [from, to] = [Math.min(first, list.length), Math.min(after, list.length)];
      expect(Words.of(list).stemsOf(from, to)).toBe(list.slice(from, to).map((word) => word.stem).join(' '));
    }));
  });

  it('of one text hold nothing of the text before', () => {
    const collector = new WordCollector();
    for (let place = 0; place < 1000; place += 1) collector.add(place, place + 1, place * 2);
    collector.begin();
    collector.add(4, 5, 0);
    const words = collector.taken('x');
    expect([words.length, words.startOf(0), words.stemsOf(0, 1)]).toEqual([1, 4, 'x']);
  });
});

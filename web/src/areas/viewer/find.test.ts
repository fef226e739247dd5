import fc from 'fast-check';
import { locate } from './find.ts';

const textOf = (pieces: readonly string[], ranges: readonly { piece: number; start: number; end: number }[]): string =>
  ranges.map(({ piece, start, end }) => pieces[piece]?.slice(start, end) ?? '').join('|');

it('finds a passage over line breaks, hyphens and letter case, with its marked words', () => {
  const pieces = ['Chapter 3. BIRDS', 'The keeper counts the gu-', 'lls at  noon', 'and goes.'];
  const passage = '…keeper counts\nthe gulls at noon…';
  const { passage: found, words } = locate(pieces, passage, [
    { start: 1, end: 7 },
    { start: 19, end: 24 },
  ]);
  expect(textOf(pieces, found)).toBe('keeper counts the gu-|lls at  noon');
  expect(textOf(pieces, words)).toBe('keeper|gu-|lls');
});

it('finds what it can of a passage that stands elsewhere in part, and nothing of one that does not', () => {
  const pieces = ['One sentence that is here.', 'Another sentence that is here.'];
  const { passage } = locate(
    pieces,
    'One sentence that is here. This is not there at all. Another sentence that is here.',
  );
  expect(textOf(pieces, passage)).toBe('One sentence that is here.|Another sentence that is here.');
  expect(locate(pieces, 'Nothing of this text stands anywhere.').passage).toEqual([]);
  expect(locate(pieces, '').passage).toEqual([]);
  expect(locate([], 'Nothing of this text stands anywhere.').passage).toEqual([]);
});

it('finds every part of a text in it, however it is cut into pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'B', 'é', '字', '𐀀', ' ', '-', '\n') })),
      fc.nat(),
      fc.nat(),
      (pieces, a, b) => {
        const text = pieces.join('');
        const [start, end] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y) as [number, number];
        const passage = text.slice(start, end);
        fc.pre(passage.isWellFormed() && /\p{L}/u.test(passage));
        const found = textOf(pieces, locate(pieces, passage).passage).replaceAll('|', '');
        const plain = (value: string): string =>
          value
            .normalize('NFKC')
            .toLowerCase()
            .replace(/[\s\u00ad\u002d\u2010\u2011]/gu, '');
        expect(plain(found)).toBe(plain(passage));
      },
    ),
  );
});

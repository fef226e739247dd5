import fc from 'fast-check';
import { WordPiece } from './word-piece.ts';

const pieces = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  'un',
  '##believ',
  '##able',
  'a',
  'cafe',
  '!',
  '[',
  ']',
  'mask',
  '学',
  '校',
  '##s',
  'b',
];
const wordPiece = new WordPiece(pieces.join('\n'));

function read(text: string, limit = 256): string[] {
  return wordPiece.encode(text, limit).map((id) => pieces[id] ?? '?');
}

describe('the WordPiece tokeniser', () => {
  it('splits words into the longest pieces of the vocabulary', () => {
    expect(read('Unbelievable!')).toEqual(['[CLS]', 'un', '##believ', '##able', '!', '[SEP]']);
    expect(read('as b')).toEqual(['[CLS]', 'a', '##s', 'b', '[SEP]']);
    expect(read('unknown')).toEqual(['[CLS]', '[UNK]', '[SEP]']);
  });

  it('removes accents, separates Chinese characters, and drops control characters', () => {
    expect(read('CAFÉ\u0301 学校')).toEqual(['[CLS]', 'cafe', '学', '校', '[SEP]']);
    expect(read('ca\u0000f\u200be')).toEqual(['[CLS]', 'cafe', '[SEP]']);
  });

  it('treats the names of special tokens as ordinary text', () => {
    expect(read('[MASK]')).toEqual(['[CLS]', '[', 'mask', ']', '[SEP]']);
  });

  it('truncates long texts, and maps words over 100 characters to the unknown token', () => {
    expect(read('a '.repeat(1000), 8)).toEqual(['[CLS]', 'a', 'a', 'a', 'a', 'a', 'a', '[SEP]']);
    expect(read('a'.repeat(101))).toEqual(['[CLS]', '[UNK]', '[SEP]']);
  });

  it('returns ids of the vocabulary for any text, within the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 3, max: 64 }), (text, limit) => {
        const ids = wordPiece.encode(text, limit);
        expect(ids.length).toBeGreaterThanOrEqual(2);
        expect(ids.length).toBeLessThanOrEqual(limit);
        expect(ids.every((id) => id >= 1 && id < pieces.length)).toBe(true);
        expect([ids[0], ids.at(-1)]).toEqual([2, 3]);
      }),
    );
  });

  it('rejects a vocabulary without the special tokens', () => {
    expect(() => new WordPiece('a\nb')).toThrow('[CLS]');
  });
});

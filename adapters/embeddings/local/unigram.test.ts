import { Unigram } from './unigram.ts';
import { compileUnigram, readUnigram } from './unigram-file.ts';

/** The start, end, padding and unknown tokens, then pieces with their scores; `_` stands for the space mark. */
const pieces: readonly (readonly [text: string, score: number])[] = [
  ['<s>', 0],
  ['<pad>', 0],
  ['</s>', 0],
  ['<unk>', 0],
  ['_', -3],
  ['_un', -4],
  ['able', -5],
  ['_unable', -12],
  ['a', -6],
  ['b', -6],
  ['_é', -7],
  ['ab', -12],
  ['½', -8],
  ['_学', -9],
  ['校', -9],
  ['fi', -6],
];

/** The tokeniser part of a package with these pieces, and the character map `ﬁ` to `fi`. */
function smallPart(): Uint8Array {
  const texts = pieces.map(([text]) => new TextEncoder().encode(text.replaceAll('_', '\u2581')));
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  const part = new DataView(new ArrayBuffer(28 + 4 * (texts.length + 1) + 4 * texts.length + bytes + 8 + 13));
  [texts.length, 0, 2, 1, 3].forEach((value, index) => part.setInt32(4 * index, value, true));
  part.setBigUint64(20, BigInt(bytes), true);
  const textAt = 28 + 4 * (texts.length + 1) + 4 * texts.length;
  let at = 0;
  texts.forEach((text, id) => {
    part.setUint32(28 + 4 * id, at, true);
    part.setFloat32(28 + 4 * (texts.length + 1) + 4 * id, pieces[id]?.[1] ?? 0, true);
    new Uint8Array(part.buffer, textAt + at).set(text);
    at += text.length;
  });
  part.setUint32(28 + 4 * texts.length, at, true);
  const map = textAt + bytes;
  part.setInt32(map, 1, true);
  part.setUint32(map + 4, 13, true);
  part.setUint32(map + 8, 'ﬁ'.codePointAt(0) ?? 0, true);
  part.setUint8(map + 12, 2);
  part.setUint32(map + 13, 'f'.codePointAt(0) ?? 0, true);
  part.setUint32(map + 17, 'i'.codePointAt(0) ?? 0, true);
  return new Uint8Array(part.buffer);
}

const file = compileUnigram(smallPart());
const tokeniser = new Unigram(readUnigram(Uint8Array.from(file).buffer));
const idsOf = (...texts: string[]): number[] => texts.map((text) => pieces.findIndex(([piece]) => piece === text));

describe('the unigram tokeniser', () => {
  it.each([
    ['unable', ['_un', 'able']],
    [' unable\n\tunable  ', ['_un', 'able', '_un', 'able']],
    ['ab', ['_', 'ab']],
    ['学校', ['_学', '校']],
    ['e\u0301', ['_é']],
    ['ﬁ', ['_', 'fi']],
    ['☃☃☃a', ['_', '<unk>', 'a']],
    ['☃ ☃', ['_', '<unk>', '_', '<unk>']],
    ['</s>', ['_', '<unk>']],
    ['', []],
    [' \n ', []],
  ])('splits %j into the most likely pieces, with the longest last piece on a tie', (text, expected) => {
    expect(tokeniser.encode(text, 100)).toEqual(idsOf('<s>', ...expected, '</s>'));
    expect(tokeniser.encode(text, 100)).toEqual(idsOf('<s>', ...expected, '</s>'));
  });

  it('returns no more tokens than the limit', () => {
    expect(tokeniser.encode('unable '.repeat(100), 5)).toEqual(idsOf('<s>', '_un', 'able', '_un', '</s>'));
    expect(tokeniser.encode('a'.repeat(100_000), 12)).toHaveLength(12);
    expect(tokeniser.encode('unable', 2)).toEqual(idsOf('<s>', '</s>'));
  });

  it('accepts malformed Unicode', () => {
    expect(tokeniser.encode('a\ud800 \u0000', 100)).toEqual(idsOf('<s>', '_', 'a', '<unk>', '_', '<unk>', '</s>'));
  });

  it('rejects a corrupt vocabulary', () => {
    expect(() => readUnigram(Uint8Array.from(file.subarray(0, -1)).buffer)).toThrow('not a unigram vocabulary');
    expect(() => readUnigram(new ArrayBuffer(4))).toThrow('not a unigram vocabulary');
  });
});

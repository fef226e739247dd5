import { blocksOf, codeOf } from './testing/read.ts';
import { readCsv, sniffDelimiter } from './csv.ts';

const rows = async (content: string | Uint8Array): Promise<[number | undefined, string][]> =>
  (await blocksOf(readCsv, content)).map(({ text, location }) => [location.row, text]);

describe('CSV', () => {
  it('yields a block for each record and counts blank ones', async () => {
    expect(await rows('\ufeffname,city\nAnna,"Bern, old town"\n\n"Two\nlines",x\n')).toEqual([
      [1, 'name | city'],
      [2, 'Anna | Bern, old town'],
      [4, 'Two\nlines | x'],
    ]);
  });

  it('detects the delimiter in the first lines', async () => {
    expect(sniffDelimiter('a;b;c\n1,5;2;3\n')).toBe(';');
    expect(sniffDelimiter('a\tb\n"x,y,z"\t2\n')).toBe('\t');
    expect(sniffDelimiter('a|b|c\n"1|2"|3|4\n')).toBe('|');
    expect(sniffDelimiter('Report of 2024, all countries\n\na;b;c\n1,5;2;3\n2,5;2;3\n')).toBe(';');
    expect(sniffDelimiter('1,5;2,5\n2,5;3,5\n')).toBe(';');
    expect(sniffDelimiter('5" pipe,a;b,1\n6" pipe,a,2\n')).toBe(',');
    expect(sniffDelimiter('a note; of one line\nand, so, on\nanother\nlast one\n')).toBe(',');
    expect(sniffDelimiter('')).toBe(',');
    expect(sniffDelimiter('one column\nof words\n')).toBe(',');
    expect(await rows('a;b\r\n1,5;2\r\n')).toEqual([
      [1, 'a | b'],
      [2, '1,5 | 2'],
    ]);
  });

  it('uses a declared delimiter and counts its line', async () => {
    expect(await rows('sep=;\r\na,b;c\r\n1;2\r\n')).toEqual([
      [2, 'a,b | c'],
      [3, '1 | 2'],
    ]);
    expect(await rows('\ufeffsep=^\na^b\n')).toEqual([[2, 'a | b']]);
    expect(await rows('sep=one\na,b\n')).toEqual([
      [1, 'sep=one'],
      [2, 'a | b'],
    ]);
  });

  it('loses no row to an unclosed quote', async () => {
    expect(await rows('a,b\n1,"open\n2,two\n3,three\n')).toEqual([
      [1, 'a | b'],
      [2, '1 | open'],
      [3, '2 | two'],
      [4, '3 | three'],
    ]);
    const long = Array.from({ length: 60_000 }, (_, index) => `${index},some words of row ${index}`).join('\n');
    const read = await rows(`a,b\n1,"open\n${long}\n`);
    expect(read).toHaveLength(60_002);
    expect(read.at(-1)).toEqual([60_002, '59999 | some words of row 59999']);
  });

  it('splits an overlong line into pieces of the same row', async () => {
    const cells = Array.from({ length: 300_000 }, (_, index) => `cell ${index}`);
    const read = await rows(`a,b\n${cells.join(',')}\n"x, y",z\n`);
    expect(read[0]).toEqual([1, 'a | b']);
    expect(read.at(-1)).toEqual([3, 'x, y | z']);
    expect(new Set(read.slice(1, -1).map(([row]) => row))).toEqual(new Set([2]));
    expect(read.slice(1, -1).flatMap(([, text]) => text.split(' | '))).toEqual(cells);
  });

  it('keeps quotes within values and rows of different lengths', async () => {
    expect(await rows('a,b\nsay "hi" now,2,3\n4\n')).toEqual([
      [1, 'a | b'],
      [2, 'say "hi" now | 2 | 3'],
      [3, '4'],
    ]);
  });

  it('adds the column names to the records below them', async () => {
    const blocks = await blocksOf(readCsv, 'Stores of 1861\n\nitem;price\noil;212\nwick;9\n');
    expect(blocks.map(({ text, context }) => [text, context])).toEqual([
      ['Stores of 1861', undefined],
      ['item | price', undefined],
      ['oil | 212', 'item | price'],
      ['wick | 9', undefined],
    ]);
  });

  it('rejects other encodings and reads an empty file', async () => {
    expect(await codeOf(readCsv, Buffer.from('a,b\ncaf\xe9,1\n', 'latin1'))).toBe('text_encoding_must_be_utf8');
    expect(await codeOf(readCsv, Buffer.from('a,b\nc,1\n', 'utf16le'))).toBe('text_encoding_must_be_utf8');
    expect(await rows('')).toEqual([]);
  });
});

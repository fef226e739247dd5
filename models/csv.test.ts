import fc from 'fast-check';
import { csvCell, plainDecimal } from './csv.ts';

describe('csvCell', () => {
  it.each([
    ['plain text', 'plain text'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['\u0007bell', '"\u0007bell"'],
    ['', ''],
  ])('%j is %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});

describe('plainDecimal', () => {
  it.each([
    [0, '0'],
    [-5.5, '-5.5'],
    [1e-7, '0.0000001'],
    [1.25e-9, '0.00000000125'],
    [1e21, '1000000000000000000000'],
    [1.5e21, '1500000000000000000000'],
    [1 / 30, '0.03333333333333333'],
  ])('%d is %s', (value, text) => {
    expect(plainDecimal(value)).toBe(text);
  });

  it('is the same number without an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = plainDecimal(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text) === value).toBe(true);
      }),
    );
  });

  it('refuses what is no decimal', () => {
    expect(() => plainDecimal(Infinity)).toThrow('no decimal number');
  });
});

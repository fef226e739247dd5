import fc from 'fast-check';
import { exactDecimal, parseExactJson, scaledDecimal } from './exact-decimal.ts';

describe('a decimal number in whole parts', () => {
  it.each([
    [0, 9, 0],
    [0.002, 9, 2_000_000],
    [1e-9, 9, 1],
    [1e-10, 9, null],
    [0.1, 1, 1],
    [0.15, 1, null],
    [50, 2, 5000],
    [666.666667, 6, 666_666_667],
    [1e21, 0, null],
    [9e15, 1, null],
    [0, 0, 0],
  ])('%d with %d decimals is %p', (value, decimals, scaled) => {
    expect(scaledDecimal(value, decimals)).toBe(scaled);
  });

  it('is exact for every number of parts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 52 }), fc.integer({ min: 0, max: 9 }), (parts, decimals) => {
        const digits = String(parts).padStart(decimals + 1, '0');
        const point = digits.length - decimals;
        const text = `${digits.slice(0, point)}.${digits.slice(point)}0`;
        try {
          parseExactJson(text);
        } catch {
          // More digits than a number holds are refused.
          return;
        }
        expect(scaledDecimal(Number(text), decimals)).toBe(parts);
      }),
    );
  });

  it('is refused outside its limits', () => {
    const price = exactDecimal(9, 100);
    expect(price.check(0.5)).toBe(500_000_000);
    for (const wrong of [-1, 101, 1e-10, Number.NaN, '1', null]) expect(() => price.check(wrong)).toThrow();
  });
});

describe('JSON with exact numbers', () => {
  it.each(['{"a":0.002,"b":[1e3,-0.5,0,10.50]}', '9007199254740991'])('%s is read as it is', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it.each(['{"price":0.00200000000000000001}', '{"price":9007199254740993}'])('%s is refused', (text) => {
    expect(() => parseExactJson(text)).toThrow('price: ');
  });
});

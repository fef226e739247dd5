import fc from 'fast-check';
import { hundredthsOf, maxMoney, moneyText } from './money.ts';

it('money is the same after it was written and read', () => {
  fc.assert(
    fc.property(fc.integer({ min: -maxMoney, max: maxMoney }), (hundredths) => {
      expect(hundredthsOf(moneyText(hundredths))).toBe(hundredths);
    }),
  );
});

it('reads amounts with up to two decimals', () => {
  expect(['12.5', '-12.50', '0.01', '-0.01', '-0', '7', '1000000000000'].map(hundredthsOf)).toEqual([
    1250,
    -1250,
    1,
    -1,
    0,
    700,
    maxMoney,
  ]);
});

it.each(['', '-', '1.', '.5', '1.234', '1e3', '+1', '1,50', ' 1', '1000000000000.01', '99999999999999'])(
  'refuses %j',
  (text) => expect(() => hundredthsOf(text)).toThrow('is no amount of money'),
);

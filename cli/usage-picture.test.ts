import fc from 'fast-check';
import { dayBars, percentBar } from './usage-picture.ts';

it('each day has a character: a space without use, the highest for the greatest', () => {
  expect(dayBars([0, 1, 4, 8, 1000])).toBe(' ▁▁▁█');
  expect(dayBars([1, 2, 3, 4, 5, 6, 7, 8])).toBe('▁▂▃▄▅▆▇█');
  expect(dayBars([0, 0])).toBe('  ');
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e300, noNaN: true }), { minLength: 1, maxLength: 31 }), (days) => {
      const bars = [...dayBars(days)];
      expect(bars.map((bar) => bar === ' ')).toEqual(days.map((day) => day === 0));
    }),
  );
});

it('a bar of a quota is full at 100 percent and beyond', () => {
  expect([0, 50, 62.5, 100, 250].map((percent) => percentBar(percent, 4))).toEqual([
    '    ',
    '██  ',
    '██▌ ',
    '████',
    '████',
  ]);
});

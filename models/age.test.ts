import { isYounger } from './age.ts';

it('is the elapsed time; an instant in the future, after a clock was set back, counts as old', () => {
  expect([1000, 1001, 1999].map((now) => isYounger(1000, now, 1000))).toEqual([true, true, true]);
  expect([2000, 999, -50_000].map((now) => isYounger(1000, now, 1000))).toEqual([false, false, false]);
  expect(isYounger(-Infinity, 1000, 1000)).toBe(false);
});

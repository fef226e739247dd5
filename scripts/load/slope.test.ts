import { slopeOf } from './slope.ts';

describe('the slope of a figure over time', () => {
  it('is that of the line through its points', () => {
    expect(
      slopeOf([
        [0, 5],
        [1, 7],
        [2, 9],
        [3, 11],
      ]),
    ).toBeCloseTo(2);
    expect(
      slopeOf([
        [0, 400],
        [10, 410],
        [20, 390],
        [30, 405],
        [40, 395],
      ]),
    ).toBeCloseTo(-0.15);
    expect(slopeOf([[0, 3]])).toBe(0);
    expect(slopeOf([])).toBe(0);
  });
});

import { passagesAtSecond } from './million-growth.ts';

describe('the library size at which a search takes a second', () => {
  const [small, middle, large] = [
    { passages: 10_000, p95: 100 },
    { passages: 100_000, p95: 400 },
    { passages: 400_000, p95: 1600 },
  ];

  it('is interpolated between the measured points around it', () => {
    expect(passagesAtSecond([small, middle, large])).toEqual({ passages: 250_000, isBetweenPoints: true });
  });

  it('is extrapolated from the last two points if all are faster', () => {
    expect(passagesAtSecond([small, { passages: 55_000, p95: 250 }, middle])).toEqual({
      passages: 280_000,
      isBetweenPoints: false,
    });
  });

  it('is null if times do not grow, or with one point', () => {
    expect(passagesAtSecond([middle, { passages: 200_000, p95: 400 }])).toBeNull();
    expect(passagesAtSecond([small])).toBeNull();
  });

  it('is 0 if the smallest library is slower', () => {
    expect(
      passagesAtSecond([
        { passages: 100_000, p95: 2000 },
        { passages: 400_000, p95: 3000 },
      ]),
    ).toEqual({ passages: 0, isBetweenPoints: false });
  });
});

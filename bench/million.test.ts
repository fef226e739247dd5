import { passagesAtSecond } from './million-growth.ts';

describe('the size at which a search takes a second', () => {
  const [small, middle, large] = [
    { passages: 10_000, p95: 100 },
    { passages: 100_000, p95: 400 },
    { passages: 400_000, p95: 1600 },
  ];

  it('lies between the measured points around it', () => {
    expect(passagesAtSecond([small, middle, large])).toEqual({ passages: 250_000, isBetweenPoints: true });
  });

  it('lies beyond the last two points where none took so long, and says so', () => {
    expect(passagesAtSecond([small, { passages: 55_000, p95: 250 }, middle])).toEqual({
      passages: 280_000,
      isBetweenPoints: false,
    });
  });

  it('is not told where times do not grow, or from one point', () => {
    expect(passagesAtSecond([middle, { passages: 200_000, p95: 400 }])).toBeNull();
    expect(passagesAtSecond([small])).toBeNull();
  });

  it('is none where the smallest library already took longer', () => {
    expect(
      passagesAtSecond([
        { passages: 100_000, p95: 2000 },
        { passages: 400_000, p95: 3000 },
      ]),
    ).toEqual({ passages: 0, isBetweenPoints: false });
  });
});

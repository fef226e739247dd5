import { RecentKeys } from './recent-keys.ts';

describe('recent keys', () => {
  it('are new once within the time, and again afterwards', () => {
    let now = 1000;
    const keys = new RecentKeys({ max: 10, ttlMs: 60_000, clock: { now: () => now } });
    expect([keys.add('a'), keys.add('a'), keys.add('b')]).toEqual([true, false, true]);
    now += 60_000;
    expect(keys.add('a')).toBe(false);
    now += 1;
    expect([keys.add('a'), keys.add('a')]).toEqual([true, false]);
  });

  it('are bounded', () => {
    const keys = new RecentKeys({ max: 2, ttlMs: 60_000 });
    for (const key of ['a', 'b', 'c']) keys.add(key);
    expect([keys.add('c'), keys.add('b'), keys.add('a')]).toEqual([false, false, true]);
  });
});

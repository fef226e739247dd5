import { Breaker } from './breaker.ts';

describe('a breaker', () => {
  let now = 0;
  const breaker = new Breaker(1000, () => now);

  it('lets everything through until something failed, and then nothing for a rest', () => {
    expect([breaker.admits(), breaker.admits()]).toEqual([true, true]);
    breaker.ended();
    breaker.failed();
    expect(breaker.admits()).toBe(false);
    now += 999;
    expect(breaker.admits()).toBe(false);
  });

  it('then lets one through at a time, whose end decides', () => {
    now += 1;
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
    now += 60_000;
    expect(breaker.admits()).toBe(false);
    breaker.failed();
    expect(breaker.admits()).toBe(false);
    now += 1000;
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
    breaker.ended();
    expect([breaker.admits(), breaker.admits()]).toEqual([true, true]);
  });
});

import { Breaker } from './breaker.ts';

describe('the circuit breaker', () => {
  let now = 0;
  const breaker = new Breaker(1000, () => now);

  it('admits all attempts until a failure, and then none for the period', () => {
    expect([breaker.admits(), breaker.admits()]).toEqual([true, true]);
    breaker.ended();
    breaker.failed();
    expect(breaker.admits()).toBe(false);
    now += 999;
    expect(breaker.admits()).toBe(false);
  });

  it('admits one trial at a time after the period, whose outcome closes or reopens it', () => {
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

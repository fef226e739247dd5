import { LastSuccess } from './last-success.ts';

it('is recent for a minute, until the next failure, and not after the clock was set back', () => {
  let now = 1_000_000;
  const last = new LastSuccess(() => now);
  expect(last.isFresh).toBe(false);
  last.succeeded();
  expect(last.isFresh).toBe(true);
  now += 59_999;
  expect(last.isFresh).toBe(true);
  now += 1;
  expect(last.isFresh).toBe(false);
  last.succeeded();
  now -= 3_600_000;
  expect(last.isFresh).toBe(false);
  last.succeeded();
  last.failed();
  expect(last.isFresh).toBe(false);
});

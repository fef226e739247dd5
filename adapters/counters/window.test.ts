import fc from 'fast-check';
import { emptyWindow, groupsInWindow, takePlace } from './window.ts';

describe('a sliding window', () => {
  it('never holds more than the limit in any stretch, keeps few groups, and gives places back in time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }), (limit, pauses) => {
        const window = emptyWindow(1000);
        const allowed: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const answer = takePlace(window, limit, now);
          const exact = allowed.filter((at) => at > now - 1000).length;
          const late = allowed.filter((at) => at > now - 1000 - 1000 / groupsInWindow).length;
          if (exact >= limit) expect(answer.allowed).toBe(false);
          if (late < limit) expect(answer.allowed).toBe(true);
          if (answer.allowed) allowed.push(now);
          else expect(takePlace(structuredClone(window), limit, now + answer.resetMs).allowed).toBe(true);
          expect(answer.resetMs).toBeLessThanOrEqual(1000);
          expect(window.groups.length).toBeLessThanOrEqual(groupsInWindow + 1);
        }
      }),
    );
  });

  it('takes a clock that was set back for one that stood still', () => {
    const window = emptyWindow(1000);
    takePlace(window, 2, 5000);
    expect(takePlace(window, 2, 10)).toMatchObject({ allowed: true, remaining: 0 });
    expect(takePlace(window, 2, 20).allowed).toBe(false);
    expect(takePlace(window, 2, 6000).allowed).toBe(true);
  });
});

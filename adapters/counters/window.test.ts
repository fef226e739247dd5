import fc from 'fast-check';
import { emptyWindow, groupsInWindow, countRequest } from './window.ts';

describe('a sliding window', () => {
  it('never exceeds the limit in any interval, keeps few groups, and frees capacity in time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
        (limit, pauses) => {
          const window = emptyWindow(1000);
          const allowed: number[] = [];
          let now = 0;
          for (const pause of pauses) {
            now += pause;
            const answer = countRequest(window, limit, now);
            const exact = allowed.filter((at) => at > now - 1000).length;
            const late = allowed.filter((at) => at > now - 1000 - 1000 / groupsInWindow).length;
            if (exact >= limit) expect(answer.allowed).toBe(false);
            if (late < limit) expect(answer.allowed).toBe(true);
            if (answer.allowed) allowed.push(now);
            else expect(countRequest(structuredClone(window), limit, now + answer.resetMs).allowed).toBe(true);
            expect(answer.resetMs).toBeLessThanOrEqual(1000);
            expect(window.groups.length).toBeLessThanOrEqual(groupsInWindow + 1);
          }
        },
      ),
    );
  });

  it('treats a clock that was set back as stopped', () => {
    const window = emptyWindow(1000);
    countRequest(window, 2, 5000);
    expect(countRequest(window, 2, 10)).toMatchObject({ allowed: true, remaining: 0 });
    expect(countRequest(window, 2, 20).allowed).toBe(false);
    expect(countRequest(window, 2, 6000).allowed).toBe(true);
  });
});

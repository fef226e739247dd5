import { setTimeout as sleep } from 'node:timers/promises';
import type { Allowance, Counters } from './port.ts';

/** Creates the subject of a suite; `stop` ends its store. */
export interface CountersUnderTest {
  counters: Counters;
  stop?(): Promise<void>;
}

/** Tolerated difference between the clocks of test and store, in milliseconds. */
const slack = 40;

/** The tests that every adapter of counters must pass. */
export function countersConformance(name: string, open: () => Promise<CountersUnderTest>): void {
  describe(`counters: ${name}`, () => {
    let subject: CountersUnderTest;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(async () => {
      await subject.counters.close();
      await subject.stop?.();
    });

    it('allows exactly the limit and reports the rest', async () => {
      const answers: Allowance[] = [];
      for (let i = 0; i < 7; i += 1) answers.push(await subject.counters.take('exact', 5, 10_000));
      expect(answers.map((answer) => answer.allowed)).toEqual([true, true, true, true, true, false, false]);
      expect(answers.map((answer) => answer.remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
      for (const answer of answers) {
        expect(answer.limit).toBe(5);
        expect(answer.resetMs).toBeGreaterThan(0);
        expect(answer.resetMs).toBeLessThanOrEqual(10_000);
      }
    });

    it('counts keys separately', async () => {
      expect((await subject.counters.take('one', 1, 10_000)).allowed).toBe(true);
      expect((await subject.counters.take('one', 1, 10_000)).allowed).toBe(false);
      expect((await subject.counters.take('other', 1, 10_000)).allowed).toBe(true);
    });

    it('allows no more than the limit of concurrent requests', async () => {
      const answers = await Promise.all(Array.from({ length: 200 }, () => subject.counters.take('crowd', 50, 10_000)));
      expect(answers.filter((answer) => answer.allowed)).toHaveLength(50);
      expect(new Set(answers.filter((answer) => answer.allowed).map((answer) => answer.remaining)).size).toBe(50);
    });

    it('has capacity again at the reported time, and not before', async () => {
      const windowMs = 2000;
      const began = performance.now();
      await subject.counters.take('again', 1, windowMs);
      const refused = await subject.counters.take('again', 1, windowMs);
      expect(refused.allowed).toBe(false);
      // Independently of delays in this test, capacity that is freed too early shows in the time since the first
      // request.
      const early = await askedUntilAllowed('early', windowMs);
      expect(early.after).toBeGreaterThanOrEqual(windowMs - slack);
      await sleep(Math.max(0, refused.resetMs - (performance.now() - began)) + slack);
      expect((await subject.counters.take('again', 1, windowMs)).allowed).toBe(true);
    });

    /**
     * Uses up a limit of 1, and repeats until a second request is allowed. Returns the time between the two in
     * milliseconds.
     */
    async function askedUntilAllowed(key: string, windowMs: number): Promise<{ after: number }> {
      const began = performance.now();
      await subject.counters.take(key, 1, windowMs);
      while (!(await subject.counters.take(key, 1, windowMs)).allowed) await sleep(5);
      return { after: performance.now() - began };
    }

    it('enforces the limit in every interval and uses it up', async () => {
      const [limit, windowMs] = [30, 600];
      const taken: { from: number; to: number }[] = [];
      const refused: { from: number; to: number }[] = [];
      while (taken.length < limit * 4) {
        const from = performance.now();
        const { allowed } = await subject.counters.take('stretch', limit, windowMs);
        (allowed ? taken : refused).push({ from, to: performance.now() });
        await sleep(2);
      }
      for (const first of taken) {
        const inWindow = taken.filter((other) => other.from >= first.from && other.to < first.from + windowMs - slack);
        expect(inWindow.length).toBeLessThanOrEqual(limit);
      }
      // A request is refused only if the window before it is used up; capacity is freed at most a sixtieth of the
      // window late.
      const memory = windowMs + windowMs / 60 + slack;
      for (const { from, to } of refused)
        expect(taken.filter((other) => other.to > from - memory && other.from < to).length).toBeGreaterThanOrEqual(
          limit,
        );
    });

    it('applies a changed limit', async () => {
      for (let i = 0; i < 4; i += 1) await subject.counters.take('changed', 4, 10_000);
      expect((await subject.counters.take('changed', 6, 10_000)).remaining).toBe(1);
      expect(await subject.counters.take('changed', 3, 10_000)).toMatchObject({
        allowed: false,
        limit: 3,
        remaining: 0,
      });
    });

    it('allows nothing with a limit of 0', async () => {
      expect(await subject.counters.take('none', 0, 1000)).toMatchObject({ allowed: false, remaining: 0 });
    });

    it('accepts any text as a key', async () => {
      const key = `organization ü:{*}\n"'${'x'.repeat(300)}`;
      expect((await subject.counters.take(key, 1, 10_000)).allowed).toBe(true);
      expect((await subject.counters.take(key, 1, 10_000)).allowed).toBe(false);
    });

    it('answers a ping', async () => {
      await expect(subject.counters.ping()).resolves.toBeUndefined();
    });
  });
}

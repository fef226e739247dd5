import { setTimeout as pause } from 'node:timers/promises';
import { PollLoop } from './poll-loop.ts';

describe('a poll loop', () => {
  it('starts immediately when woken, and combines many wake-ups', async () => {
    let rounds = 0;
    const loop = new PollLoop(
      async () => {
        rounds++;
        return 0;
      },
      60_000,
      () => undefined,
    );
    loop.start();
    expect(rounds).toBe(1);
    await pause(80);
    loop.wakeUp();
    expect(rounds).toBe(2);
    for (let wakeUp = 0; wakeUp < 100; wakeUp++) {
      await Promise.resolve();
      loop.wakeUp();
    }
    while (rounds < 3) await pause(5);
    await pause(120);
    expect(rounds).toBe(3);
    await loop.stop();
  });

  it('continues while there is more work, and keeps a wake-up during a round', async () => {
    const found = [2, 1, 0, 0];
    const seen: number[] = [];
    const loop: PollLoop = new PollLoop(
      async () => {
        const next = found[seen.length] ?? 0;
        seen.push(next);
        if (seen.length === 2) loop.wakeUp();
        await pause(1);
        return next;
      },
      60_000,
      () => undefined,
    );
    loop.start();
    while (seen.length < 4) await pause(5);
    await pause(80);
    expect(seen).toEqual([2, 1, 0, 0]);
    await loop.stop();
    loop.wakeUp();
    await pause(20);
    expect(seen).toHaveLength(4);
  });

  it('retries a failed round after the interval', async () => {
    let rounds = 0;
    const failures: unknown[] = [];
    const loop = new PollLoop(
      async () => {
        if (++rounds === 1) throw new Error('away');
        return 0;
      },
      15,
      (error) => failures.push(error),
    );
    loop.start();
    while (rounds < 2) await pause(5);
    expect(failures).toHaveLength(1);
    await loop.stop();
  });
});

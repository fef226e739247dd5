import { setTimeout as pause } from 'node:timers/promises';
import { Pacer } from './pacer.ts';

describe('a pacer', () => {
  it('answers a hint at once after a rest, and many with few rounds', async () => {
    let rounds = 0;
    const pacer = new Pacer(async () => {
      rounds++;
      return 0;
    }, 60_000, () => undefined);
    pacer.start();
    expect(rounds).toBe(1);
    await pause(80);
    pacer.soon();
    expect(rounds).toBe(2);
    for (let hint = 0; hint < 100; hint++) {
      await Promise.resolve();
      pacer.soon();
    }
    while (rounds < 3) await pause(5);
    await pause(120);
    expect(rounds).toBe(3);
    await pacer.stop();
  });

  it('goes on while there is more, and hears what is hinted meanwhile', async () => {
    const found = [2, 1, 0, 0];
    const seen: number[] = [];
    const pacer: Pacer = new Pacer(async () => {
      const next = found[seen.length] ?? 0;
      seen.push(next);
      if (seen.length === 2) pacer.soon();
      await pause(1);
      return next;
    }, 60_000, () => undefined);
    pacer.start();
    while (seen.length < 4) await pause(5);
    await pause(80);
    expect(seen).toEqual([2, 1, 0, 0]);
    await pacer.stop();
    pacer.soon();
    await pause(20);
    expect(seen).toHaveLength(4);
  });

  it('tries again after the interval where a round fails', async () => {
    let rounds = 0;
    const failures: unknown[] = [];
    const pacer = new Pacer(async () => {
      if (++rounds === 1) throw new Error('away');
      return 0;
    }, 15, (error) => failures.push(error));
    pacer.start();
    while (rounds < 2) await pause(5);
    expect(failures).toHaveLength(1);
    await pacer.stop();
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { periodicIntake } from './periodic.ts';

describe('periodic work', () => {
  it('has rounds that do not overlap, continues after a failure, and stops after the current round', async () => {
    let rounds = 0;
    let underWay = 0;
    let most = 0;
    const failures: unknown[] = [];
    let resolveThird = (): void => undefined;
    const third = new Promise<void>((resolve) => (resolveThird = resolve));
    const intake = periodicIntake({
      name: 'work',
      everyMs: 1,
      firstMs: 0,
      failed: (error) => failures.push(error),
      round: async (isStopping) => {
        rounds += 1;
        underWay += 1;
        most = Math.max(most, underWay);
        if (rounds === 3) resolveThird();
        // The third round continues until it is stopped.
        while (rounds === 3 && !isStopping()) await pause(1);
        await pause(5);
        underWay -= 1;
        if (rounds === 1) throw new Error('once');
      },
    });
    await pause(5);
    expect(rounds).toBe(0);
    await intake.start();
    await third;
    await intake.stop(1000);
    expect([rounds, underWay, most]).toEqual([3, 0, 1]);
    expect(failures).toEqual([new Error('once')]);
    await pause(10);
    expect(rounds).toBe(3);
  });

  it('does no round if stopped before the first or not started', async () => {
    const round = (): Promise<never> => Promise.reject(new Error('it must not run'));
    const failures: unknown[] = [];
    const early = periodicIntake({ name: 'early', everyMs: 60_000, round, failed: (error) => failures.push(error) });
    await early.start();
    await early.stop(1000);
    await periodicIntake({ name: 'never', everyMs: 0, round, failed: (error) => failures.push(error) }).stop(1000);
    expect(failures).toEqual([]);
  });
});

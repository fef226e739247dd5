import { setTimeout as pause } from 'node:timers/promises';
import { Deadlines } from './deadlines.ts';

describe('deadlines', () => {
  it('hand on what work comes to, and forget it', async () => {
    const deadlines = new Deadlines(10_000);
    expect(await deadlines.within(Promise.resolve(7), () => new Error('late'))).toBe(7);
    await expect(deadlines.within(Promise.reject(new Error('broken')), () => new Error('late'))).rejects.toThrow('broken');
    expect(deadlines.size).toBe(0);
  });

  it('give up what takes too long, each piece at its own time', async () => {
    const deadlines = new Deadlines(300);
    const never = new Promise<never>(() => undefined);
    /** Milliseconds until it was given up, in the order in which that came. */
    const ended: { name: string; after: number }[] = [];
    const wait = async (name: string): Promise<void> => {
      const began = performance.now();
      await deadlines.within(never, () => new Error(name)).catch((error: Error) => ended.push({ name: error.message, after: performance.now() - began }));
    };
    const first = wait('first');
    await pause(200);
    await Promise.all([first, wait('second')]);
    expect(ended.map(({ name }) => name)).toEqual(['first', 'second']);
    for (const { after } of ended) expect(after).toBeGreaterThanOrEqual(300);
    expect(deadlines.size).toBe(0);
    // The timer has ended meanwhile, and is made again.
    await pause(300);
    await expect(deadlines.within(never, () => new Error('third'))).rejects.toThrow('third');
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { PausableTimeout } from './pausable-timeout.ts';

describe('a pausable timeout', () => {
  it('aborts after its time', async () => {
    const timeout = new PausableTimeout(30);
    expect(timeout.signal.aborted).toBe(false);
    // Its timer does not keep the process running.
    for (let waited = 0; !timeout.signal.aborted && waited < 500; waited += 1) await pause(20);
    expect(timeout.signal.aborted).toBe(true);
  });

  it('can be extended and cleared', async () => {
    const [extended, cleared] = [new PausableTimeout(30), new PausableTimeout(30)];
    extended.extend(60_000);
    cleared.clear();
    await pause(200);
    expect([extended.signal.aborted, cleared.signal.aborted]).toEqual([false, false]);
    extended.clear();
  });

  it('is aborted with the signal of the caller', () => {
    const [caller, before] = [new AbortController(), AbortSignal.abort(new Error('before'))];
    const timeout = new PausableTimeout(60_000, caller.signal);
    caller.abort(new Error('cancelled'));
    expect(timeout.signal.reason).toEqual(new Error('cancelled'));
    expect(new PausableTimeout(60_000, before).signal.reason).toEqual(new Error('before'));
    timeout.clear();
  });
});

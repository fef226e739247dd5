import { setTimeout as pause } from 'node:timers/promises';
import { Patience } from './patience.ts';

describe('a time limit', () => {
  it('ends once its time is over', async () => {
    const patience = new Patience(30);
    expect(patience.signal.aborted).toBe(false);
    // Its timer holds nothing up, so this one has to.
    for (let waited = 0; !patience.signal.aborted && waited < 500; waited += 1) await pause(20);
    expect(patience.signal.aborted).toBe(true);
  });

  it('is extended by waiting time, and has no effect after its end', async () => {
    const [putOff, ended] = [new Patience(30), new Patience(30)];
    putOff.putOff(60_000);
    ended.end();
    await pause(200);
    expect([putOff.signal.aborted, ended.signal.aborted]).toEqual([false, false]);
    putOff.end();
  });

  it('is aborted with the signal of the caller', () => {
    const [asking, before] = [new AbortController(), AbortSignal.abort(new Error('before'))];
    const patience = new Patience(60_000, asking.signal);
    asking.abort(new Error('cancelled'));
    expect(patience.signal.reason).toEqual(new Error('cancelled'));
    expect(new Patience(60_000, before).signal.reason).toEqual(new Error('before'));
    patience.end();
  });
});

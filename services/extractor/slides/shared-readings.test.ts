import { SharedReadings } from './shared-readings.ts';

const unaborted = new AbortController().signal;

/** A reading that ends on request. */
function heldReading(): {
  read: () => Promise<string[] | null>;
  end: (lines: string[] | null) => void;
  fail: () => void;
  calls: () => number;
} {
  const { promise, resolve, reject } = Promise.withResolvers<string[] | null>();
  let calls = 0;
  return {
    read: () => {
      calls++;
      return promise;
    },
    end: resolve,
    fail: () => reject(new Error('called off')),
    calls: () => calls,
  };
}

describe('pictures in several recordings', () => {
  it('are read once, even concurrently', async () => {
    const readings = new SharedReadings();
    const [first, second] = [heldReading(), heldReading()];
    const reading = readings.read('account', 'a', unaborted, first.read);
    const waiting = readings.read('account', 'a', unaborted, second.read);
    first.end(['Harvest report']);
    expect(await Promise.all([reading, waiting])).toEqual([
      { lines: ['Harvest report'], isShared: false },
      { lines: ['Harvest report'], isShared: true },
    ]);
    expect(await readings.read('account', 'a', unaborted, second.read)).toEqual({
      lines: ['Harvest report'],
      isShared: true,
    });
    expect([first.calls(), second.calls()]).toEqual([1, 0]);
  });

  it('are read again for another account or with other settings', async () => {
    const readings = new SharedReadings();
    await readings.read('account', 'a', unaborted, async () => ['one']);
    expect(await readings.read('stranger', 'a', unaborted, async () => ['two'])).toEqual({
      lines: ['two'],
      isShared: false,
    });
    expect(await readings.read('account', 'b', unaborted, async () => ['three'])).toEqual({
      lines: ['three'],
      isShared: false,
    });
  });

  it('are read by a waiting recording if the first was aborted or failed', async () => {
    for (const end of ['fail', 'null'] as const) {
      const readings = new SharedReadings();
      const first = heldReading();
      const reading = readings.read('account', 'a', unaborted, first.read).catch((error: unknown) => String(error));
      const waiting = [1, 2].map((number) => readings.read('account', 'a', unaborted, async () => [`by ${number}`]));
      if (end === 'fail') first.fail();
      else first.end(null);
      expect(await reading).toEqual(end === 'fail' ? 'Error: called off' : { lines: null, isShared: false });
      // One of them reads, the other gets the result.
      const [one, two] = await Promise.all(waiting);
      expect([one?.isShared, two?.isShared].toSorted()).toEqual([false, true]);
      expect(one?.lines).toEqual(two?.lines);
    }
  });

  it('are not awaited after an abort', async () => {
    const readings = new SharedReadings();
    const first = heldReading();
    const reading = readings.read('account', 'a', unaborted, first.read);
    const called = new AbortController();
    const waiting = readings.read('account', 'a', called.signal, first.read);
    called.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    first.end(['text']);
    expect((await reading).lines).toEqual(['text']);
  });

  it('are evicted, oldest first, if they are many or long', async () => {
    const readings = new SharedReadings();
    const long = 'x'.repeat(1_500_000);
    for (const digest of ['a', 'b', 'c']) await readings.read('account', digest, unaborted, async () => [long]);
    expect((await readings.read('account', 'c', unaborted, async () => ['new'])).isShared).toBe(true);
    expect(await readings.read('account', 'a', unaborted, async () => ['new'])).toEqual({
      lines: ['new'],
      isShared: false,
    });
    for (let number = 0; number < 2001; number++)
      await readings.read('account', `n${number}`, unaborted, async () => ['short']);
    expect((await readings.read('account', 'c', unaborted, async () => ['new'])).isShared).toBe(false);
    expect((await readings.read('account', 'n2000', unaborted, async () => ['new'])).isShared).toBe(true);
  });
});

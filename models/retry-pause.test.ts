import { pauseUnlessAborted, retryPause } from './retry-pause.ts';

describe('the pause before another attempt', () => {
  const pauses = { first: 100, longest: 1000 };

  it('is a random part of a time that doubles up to the maximum', () => {
    expect([1, 2, 3, 4, 5, 50].map((attempt) => retryPause(attempt, pauses, 0, 0.5))).toEqual([
      50, 100, 200, 400, 500, 500,
    ]);
    expect(retryPause(3, pauses, 0, 0)).toBe(0);
  });

  it('is at least the time that the server asked for', () => {
    expect(retryPause(1, pauses, 5000, 0.5)).toBe(5000);
    expect(retryPause(4, pauses, 100, 0.5)).toBe(400);
  });

  it('ends when its signal is aborted, before or during the pause', async () => {
    await expect(pauseUnlessAborted(60_000, AbortSignal.abort())).resolves.toBeUndefined();
    const stop = new AbortController();
    const waiting = pauseUnlessAborted(60_000, stop.signal);
    stop.abort();
    await expect(waiting).resolves.toBeUndefined();
    await expect(pauseUnlessAborted(1, new AbortController().signal)).resolves.toBeUndefined();
  });
});

import { setTimeout as pause } from 'node:timers/promises';

/**
 * Maximum pauses between attempts, in milliseconds: of the first, and of all after doubling.
 */
export interface RetryPauses {
  first: number;
  longest: number;
}

/**
 * Milliseconds until the next attempt: a random part of a time that doubles with each attempt ("full jitter", AWS
 * Architecture Blog, Exponential Backoff And Jitter, 2015), and at least the time that the server asked for.
 * @param attempt number of the failed attempt, from 1
 * @param random returns a number in [0, 1)
 */
export function retryPause(
  attempt: number,
  { first, longest }: RetryPauses,
  retryAfter: number,
  random: number,
): number {
  return Math.max(retryAfter, random * Math.min(longest, first * 2 ** (attempt - 1)));
}

/**
 * Waits until the time is over or the signal is aborted. It does not throw on abort: the caller checks the signal next.
 */
export async function pauseUnlessAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

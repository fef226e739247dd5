import { setTimeout as pause } from 'node:timers/promises';

/** How long pauses between attempts may be at most, in milliseconds: the first, and the longest that doubling leads to. */
export interface RetryPauses {
  first: number;
  longest: number;
}

/**
 * Milliseconds until the next attempt: a random part of a time that doubles with each attempt ("full jitter", AWS
 * Architecture Blog, Exponential Backoff And Jitter, 2015), and no less than the server asked for.
 * @param attempt the one that failed, from 1
 * @param random a number from 0 to below 1
 */
export function retryPause(attempt: number, { first, longest }: RetryPauses, retryAfter: number, random: number): number {
  return Math.max(retryAfter, random * Math.min(longest, first * 2 ** (attempt - 1)));
}

/** Waits, and no longer once the signal is aborted: that is no failure of the pause, and told by whoever asks the signal next. */
export async function pauseUnlessAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

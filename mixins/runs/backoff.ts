const mostMs = 15 * 60_000;

/**
 * How long to wait before the attempt after `attempt` (from 1): full jitter over a span that doubles with each
 * attempt. Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @param random a number in [0, 1)
 * @returns milliseconds, at most 15 minutes
 */
export function backoff(attempt: number, baseMs: number, random: number): number {
  return Math.ceil(random * Math.min(mostMs, baseMs * 2 ** (attempt - 1)));
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** How long to wait after each attempt that failed, in milliseconds: the attempt after the last wait is the last. */
const waits = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const;

/** The share by which a wait may be longer, so that what failed together is not tried again together. */
const jitter = 0.2;

/** Milliseconds of failures alone after which an endpoint becomes inactive. */
export const maxFailingMs = 5 * 24 * hourMs;

/**
 * Milliseconds until the next attempt; null if there is none.
 * @param attempts that have failed
 * @param random in [0, 1)
 */
export function waitAfter(attempts: number, random: number): number | null {
  const wait = waits[attempts - 1];
  return wait === undefined ? null : Math.round(wait * (1 + jitter * random));
}

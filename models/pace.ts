/** How often something may be done that costs the same however much is done by it. */
export interface PaceLimits {
  /** Times in a row, after a rest. */
  burst: number;
  /** Times a second in the long run. */
  perSecond: number;
}

/**
 * Tells how long work that can wait should wait for more to come, so that all of it is done at once: not at all while
 * little is asked for, and up to one interval where it goes on and on (a token bucket). Times are milliseconds of any clock
 * that never goes back.
 */
export class Pace {
  private readonly limits: PaceLimits;
  private left: number;
  private seen = 0;

  constructor(limits: PaceLimits) {
    this.limits = limits;
    this.left = limits.burst;
  }

  /** Milliseconds until the next time; 0 for at once. */
  wait(now: number): number {
    this.refill(now);
    return this.left >= 1 ? 0 : ((1 - this.left) * 1000) / this.limits.perSecond;
  }

  /** It was done, whether or not it was its time. */
  done(now: number): void {
    this.refill(now);
    this.left = Math.max(0, this.left - 1);
  }

  private refill(now: number): void {
    this.left = Math.min(this.limits.burst, this.left + (Math.max(0, now - this.seen) * this.limits.perSecond) / 1000);
    this.seen = Math.max(this.seen, now);
  }
}

/** How often something may be done that costs the same however much is done by it. */
export interface TokenBucketLimits {
  /** Times in a row after a pause. */
  burst: number;
  /** Times a second in the long run. */
  perSecond: number;
}

/**
 * Decides how long work waits to be batched: not at all under light load, and up to one interval under continuous load
 * (a token bucket). Times are milliseconds of a monotonic clock.
 */
export class TokenBucket {
  private readonly limits: TokenBucketLimits;
  private left: number;
  private seen = 0;

  constructor(limits: TokenBucketLimits) {
    this.limits = limits;
    this.left = limits.burst;
  }

  /** Milliseconds until the next time; 0 for immediately. */
  wait(now: number): number {
    this.refill(now);
    return this.left >= 1 ? 0 : ((1 - this.left) * 1000) / this.limits.perSecond;
  }

  /** Records that the work was done, also before its time. */
  done(now: number): void {
    this.refill(now);
    this.left = Math.max(0, this.left - 1);
  }

  private refill(now: number): void {
    this.left = Math.min(this.limits.burst, this.left + (Math.max(0, now - this.seen) * this.limits.perSecond) / 1000);
    this.seen = Math.max(this.seen, now);
  }
}

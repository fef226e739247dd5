/** A limiter's decision about a request. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  /** Requests left in the window. */
  remaining: number;
  /**
   * Milliseconds until the window has capacity again (refused request), or until it is empty (allowed request).
   */
  resetMs: number;
}

/** Counters that several processes share, for rate limits. */
export interface Counters {
  /**
   * Counts a request in the sliding window of `windowMs` under `key` if the limit allows it. It responds quickly and
   * enforces limits even without its store.
   */
  take(key: string, limit: number, windowMs: number): Promise<Allowance>;
  /**
   * Sets how many live processes count the limit of a key: without its store a limiter gives each of them an equal part.
   */
  shareAmong(processes: (key: string) => number): void;
  ping(): Promise<void>;
  close(): Promise<void>;
}

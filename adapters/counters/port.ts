/** What a limiter says of one request. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  /** Requests left in the window. */
  remaining: number;
  /** Milliseconds until the window has room again (for a refused request), or until it is empty (for an allowed one). */
  resetMs: number;
}

/** Counters that several processes share: rate limits and hot figures. */
export interface Counters {
  /** Takes one place in the sliding window of `windowMs` under `key`, if there is room. Never waits for long, never open. */
  take(key: string, limit: number, windowMs: number): Promise<Allowance>;
  /** How many live nodes share the limits: a limiter without its store gives each an equal part. */
  shareAmong(nodes: () => number): void;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A circuit breaker (Nygard, Release It!, 2007): after a failure, all attempts are rejected for a period. Then one
 * trial is admitted, and all others are rejected until it ends.
 */
export class Breaker {
  readonly #restMs: number;
  readonly #now: () => number;
  /** Null while the breaker is closed. */
  #restsUntil: number | null = null;
  #isTrying = false;

  /** @param now a monotonic clock in milliseconds */
  constructor(restMs: number, now: () => number = () => performance.now()) {
    this.#restMs = restMs;
    this.#now = now;
  }

  /** Whether an attempt is admitted. An admitted caller must report its outcome. */
  admits(): boolean {
    if (this.#restsUntil === null) return true;
    if (this.#isTrying || this.#now() < this.#restsUntil) return false;
    this.#isTrying = true;
    return true;
  }

  /** Reports a success, or a failure specific to the request. */
  ended(): void {
    this.#restsUntil = null;
    this.#isTrying = false;
  }

  /** Reports a failure that other requests would have too. */
  failed(): void {
    this.#restsUntil = this.#now() + this.#restMs;
    this.#isTrying = false;
  }
}

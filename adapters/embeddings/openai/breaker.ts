/**
 * A circuit breaker (Nygard, Release It!, 2007): after something failed, it is not begun again for a rest.
 * Then one trial goes ahead, and all others are turned away until it is known how that ended.
 */
export class Breaker {
  readonly #restMs: number;
  readonly #now: () => number;
  /** Null while everything is let through. */
  #restsUntil: number | null = null;
  #isTrying = false;

  /** @param now milliseconds of a clock that never goes back */
  constructor(restMs: number, now: () => number = () => performance.now()) {
    this.#restMs = restMs;
    this.#now = now;
  }

  /** Whether it may be begun now. Whoever is let through tells how it ended. */
  admits(): boolean {
    if (this.#restsUntil === null) return true;
    if (this.#isTrying || this.#now() < this.#restsUntil) return false;
    this.#isTrying = true;
    return true;
  }

  /** It went well, or failed for a reason of its own. */
  ended(): void {
    this.#restsUntil = null;
    this.#isTrying = false;
  }

  /** It failed, as whatever else is begun now would. */
  failed(): void {
    this.#restsUntil = this.#now() + this.#restMs;
    this.#isTrying = false;
  }
}

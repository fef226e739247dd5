/** How long a server counts as available after a success, in milliseconds. */
const freshness = 60_000;

/**
 * The time of a server's last success. A health check skips a server with a recent success and no failure since.
 */
export class LastSuccess {
  readonly #now: () => number;
  #at = -Infinity;

  /** @param now clock in milliseconds, which may be set back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether it succeeded recently and has not failed since. A success in the future is old: the clock was set back. */
  get isFresh(): boolean {
    const age = this.#now() - this.#at;
    return age >= 0 && age < freshness;
  }

  /** Records a success. */
  succeeded(): void {
    this.#at = this.#now();
  }

  /** Records a failure. */
  failed(): void {
    this.#at = -Infinity;
  }
}

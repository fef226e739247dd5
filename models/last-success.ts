import { isYounger } from './age.ts';

/** How long a server that did its work is taken to be there, in milliseconds. */
const freshness = 60_000;

/** When a server last did what it was asked for: soon after that a health check need not ask it, unless it failed since. */
export class LastSuccess {
  readonly #now: () => number;
  #at = -Infinity;

  /** @param now milliseconds of a clock, which may be put back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether it did its work a moment ago, and has not failed since. */
  get isFresh(): boolean {
    return isYounger(this.#at, this.#now(), freshness);
  }

  /** It did its work. */
  succeeded(): void {
    this.#at = this.#now();
  }

  /** It did not. */
  failed(): void {
    this.#at = -Infinity;
  }
}

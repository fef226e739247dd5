/** A timeout that is extended by the time in which the timed work had to wait for this process. */
export class PausableTimeout {
  readonly #expired = new AbortController();
  #deadline: number;
  #timer: NodeJS.Timeout | null = null;
  readonly #signal: AbortSignal;

  /** @param signal cancels the work before the timeout */
  constructor(milliseconds: number, signal?: AbortSignal) {
    this.#deadline = performance.now() + milliseconds;
    this.#signal = signal === undefined ? this.#expired.signal : AbortSignal.any([signal, this.#expired.signal]);
    this.#watch();
  }

  /** Aborts after the timeout, or with the signal of the constructor. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /** Extends the timeout. */
  extend(milliseconds: number): void {
    this.#deadline += milliseconds;
  }

  /** Stops the timer. */
  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #watch(): void {
    this.#timer = setTimeout(
      () => {
        if (performance.now() < this.#deadline) this.#watch();
        else this.#expired.abort(new DOMException('the timeout has expired', 'TimeoutError'));
      },
      Math.max(1, this.#deadline - performance.now()),
    );
    this.#timer.unref();
  }
}

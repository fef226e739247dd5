/**
 * A time limit for others, which is put off by as long as they wait for us; nobody waits any longer either once whoever
 * asked is not interested any more.
 */
export class Patience {
  readonly #over = new AbortController();
  #until: number;
  #timer: NodeJS.Timeout | null = null;
  readonly #signal: AbortSignal;

  /** @param asking is aborted once whoever asked is not interested any more */
  constructor(milliseconds: number, asking?: AbortSignal) {
    this.#until = performance.now() + milliseconds;
    this.#signal = asking === undefined ? this.#over.signal : AbortSignal.any([asking, this.#over.signal]);
    this.#watch();
  }

  /** Is aborted when the time is over, or with whoever asked. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /** They waited for us. */
  putOff(milliseconds: number): void {
    this.#until += milliseconds;
  }

  /** The limit holds no more. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #watch(): void {
    this.#timer = setTimeout(
      () => {
        if (performance.now() < this.#until) this.#watch();
        else this.#over.abort(new DOMException('the time is over', 'TimeoutError'));
      },
      Math.max(1, this.#until - performance.now()),
    );
    this.#timer.unref();
  }
}

/** A time limit for others, which is put off by as long as they wait for us. */
export class Patience {
  readonly #over = new AbortController();
  #until: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(milliseconds: number) {
    this.#until = performance.now() + milliseconds;
    this.#watch();
  }

  /** Is aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
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
    this.#timer = setTimeout(() => {
      if (performance.now() < this.#until) this.#watch();
      else this.#over.abort(new DOMException('the time is over', 'TimeoutError'));
    }, Math.max(1, this.#until - performance.now()));
    this.#timer.unref();
  }
}

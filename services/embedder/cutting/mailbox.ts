/** What one side sends and another takes, in order; of what is sent nothing is dropped. One taker at a time. */
export class Mailbox<T> {
  readonly #sent: T[] = [];
  #failure: Error | null = null;
  #taker: { resolve(value: T): void; reject(error: Error): void } | null = null;

  /** Whether somebody waits for what is sent next. */
  get isAwaited(): boolean {
    return this.#taker !== null;
  }

  /** Sends. */
  push(value: T): void {
    const taker = this.#taker;
    this.#taker = null;
    if (taker === null) this.#sent.push(value);
    else taker.resolve(value);
  }

  /** Lets whoever takes fail from now on, at once. The first failure counts. */
  fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#sent.length = 0;
    this.#taker?.reject(this.#failure);
    this.#taker = null;
  }

  /** Takes the next one; waits for it. @throws what the mailbox failed with */
  take(): Promise<T> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#sent.length > 0) return Promise.resolve(this.#sent.shift() as T);
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject };
    });
  }
}

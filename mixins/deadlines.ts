interface Waiting {
  /** Of performance.now(). */
  until: number;
  expire: () => void;
}

/** Milliseconds between two looks at what waits: so much later than its time something may be given up. */
const lookEvery = 250;

/**
 * Gives up waiting for work after a while. One timer looks after everything that waits: a timer for each piece of work
 * costs more than the rest of a local call.
 */
export class Deadlines {
  readonly #patience: number;
  // A Set keeps the order of insertion, which is the order in which time runs out.
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | null = null;

  /** @param patience milliseconds for which work is waited for */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** How much is waited for. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * What `work` comes to, unless it takes too long. The work itself goes on: it is only waited for no longer.
   * @throws what `late` makes, when the time is over; what the work throws
   */
  within<T>(work: Promise<T>, late: () => Error): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { until: performance.now() + this.#patience, expire: () => reject(late()) };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#look(), lookEvery).unref();
      work.then(
        (value) => {
          this.#waiting.delete(waiting);
          resolve(value);
        },
        (error: unknown) => {
          this.#waiting.delete(waiting);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      if (waiting.until > now) return;
      this.#waiting.delete(waiting);
      waiting.expire();
    }
    // Nothing waits: the timer is made again with the next piece of work.
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

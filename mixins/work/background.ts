/**
 * Work that goes on when the request that caused it is answered, because whatever it does not finish is finished by
 * somebody else later. So much of it runs at once; beyond that, requests wait for their own.
 */
export class Background {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Begins work that never throws. Resolves at once, or when the work is done where as much runs as may. */
  async run(work: () => Promise<unknown>): Promise<void> {
    const isFull = this.#running.size >= this.#most;
    const running = work().then(() => void this.#running.delete(running));
    this.#running.add(running);
    if (isFull) await running;
  }

  /** Resolves when nothing runs, also not what other work has begun. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

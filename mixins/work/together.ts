import { setTimeout as pause } from 'node:timers/promises';

interface Waiting<T> {
  item: T;
  done: () => void;
}

/** Gathers what comes at the same time, so that it is worked on together. */
export class Together<T> {
  readonly #work: (items: readonly T[]) => Promise<void>;
  readonly #most: number;
  readonly #waitMs: number;
  #waiting: Waiting<T>[] = [];

  /**
   * @param work never throws
   * @param most items that are worked on together; so many do not wait for more
   * @param waitMs how long the first of them waits for others, in milliseconds
   */
  constructor(work: (items: readonly T[]) => Promise<void>, { most, waitMs }: { most: number; waitMs: number }) {
    this.#work = work;
    this.#most = most;
    this.#waitMs = waitMs;
  }

  /** Resolves when the work on an item, and on those that came with it, is done. */
  async add(item: T): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting;
    waiting.push({ item, done: resolve });
    if (waiting.length >= this.#most) void this.#end(waiting);
    else if (waiting.length === 1) void pause(this.#waitMs).then(() => this.#end(waiting));
    return promise;
  }

  async #end(gathered: Waiting<T>[]): Promise<void> {
    if (this.#waiting !== gathered) return;
    this.#waiting = [];
    await this.#work(gathered.map(({ item }) => item));
    for (const { done } of gathered) done();
  }
}

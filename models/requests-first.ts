/** How long background work may occupy the event loop before it requests another turn, in milliseconds. */
export const longestTurn = 1;
/** Longest wait of background work for requests between two turns, so that it always makes progress. */
const maxWait = 3;
/** A longer request waits for another server or a slow client, not for the event loop. */
const longestRequest = 50;
/** Within this time of a request others are likely to follow. */
const shortPause = 1000;

/**
 * Turns on the event loop for background work, such as splitting texts into passages. A request takes several steps
 * between threads and would wait for such work before each of them. So background work gets one turn at a time, when no
 * request is in progress or after a maximum wait. Times are milliseconds.
 */
export class RequestsFirst {
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #lastRequest = -Infinity;
  #lastTurn = -Infinity;
  #isScheduled = false;
  #pause: NodeJS.Timeout | null = null;

  /** Records the start of a request. */
  began(): void {
    this.#underWay += 1;
    this.#lastRequest = performance.now();
  }

  /** Records the end of a request. */
  ended(): void {
    this.#underWay -= 1;
    if (this.#underWay > 0 || this.#pause === null) return;
    clearTimeout(this.#pause);
    this.#pause = null;
    setImmediate(() => this.#give());
  }

  /** Whether a request is in progress or has recently arrived. */
  get areComing(): boolean {
    return this.#underWay > 0 || performance.now() - this.#lastRequest < shortPause;
  }

  /**
   * Resolves when the caller may continue, for about `longestTurn`. Turns are given in the order of the calls.
   */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      const now = performance.now();
      const wait =
        this.#underWay === 0 || now - this.#lastRequest > longestRequest ? 0 : maxWait - (now - this.#lastTurn);
      if (wait <= 0) this.#give();
      else
        this.#pause = setTimeout(() => {
          this.#pause = null;
          this.#give();
        }, wait);
    });
  }

  #give(): void {
    this.#isScheduled = false;
    this.#lastTurn = performance.now();
    this.#waiting.shift()?.();
    this.#schedule();
  }
}

/** The instance for this process's event loop. */
export const requestsFirst = new RequestsFirst();

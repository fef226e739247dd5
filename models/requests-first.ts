/** How long work of the background may hold the event loop before it asks for another turn, in milliseconds. */
export const longestTurn = 1;
/** So long the background waits for requests at most, from one turn to the next: it goes on however many there are. */
const mostWait = 3;
/** A request that takes longer than this waits for others (a chat server, a slow client) and not for the event loop. */
const longestRequest = 50;
/** Requests that came no longer ago than this are likely to be followed by others. */
const shortPause = 1000;

/**
 * Turns on the event loop for work that nobody waits for, such as cutting texts into passages. A request takes several
 * steps from thread to thread, and would meet a piece of such work before each. So the background gets one turn at a time,
 * when no request is under way, or when it has waited long enough. Times are milliseconds.
 */
export class RequestsFirst {
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #lastRequest = -Infinity;
  #lastTurn = -Infinity;
  #isScheduled = false;
  #pause: NodeJS.Timeout | null = null;

  /** A request has come. */
  began(): void {
    this.#underWay += 1;
    this.#lastRequest = performance.now();
  }

  /** A request has been answered. */
  ended(): void {
    this.#underWay -= 1;
    if (this.#underWay > 0 || this.#pause === null) return;
    clearTimeout(this.#pause);
    this.#pause = null;
    setImmediate(() => this.#give());
  }

  /** Whether a request is under way, or came a moment ago. */
  get areComing(): boolean {
    return this.#underWay > 0 || performance.now() - this.#lastRequest < shortPause;
  }

  /** Resolves when the caller may go on, for about `longestTurn`. Turns are given in the order in which they were asked for. */
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
      const wait = this.#underWay === 0 || now - this.#lastRequest > longestRequest ? 0 : mostWait - (now - this.#lastTurn);
      if (wait <= 0) this.#give();
      else this.#pause = setTimeout(() => {
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

/** The one of this process, as its event loop is. */
export const requestsFirst = new RequestsFirst();

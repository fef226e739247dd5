/** Minimum time between two rounds that were asked for, in milliseconds: sooner where many wake-ups ask for one. */
const minPauseMs = { many: 20, few: 50 };
/** Wake-ups that count as many. */
const manyWakeUps = 8;

/** Runs rounds of work one after another: soon after a wake-up or while there is more to do, else at an interval. */
export class PollLoop {
  readonly #round: () => Promise<number>;
  readonly #intervalMs: number;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #underWay: Promise<void> | null = null;
  /** Wake-ups since the last round began. */
  #wakeUps = 0;
  #isRunning = false;
  #isScheduled = false;
  #lastBegan = -Infinity;

  /**
   * @param round does some work and returns how much: above 0 means that there may be more
   * @param failed gets the error of a round; the next round comes after the interval
   */
  constructor(round: () => Promise<number>, intervalMs: number, failed: (error: unknown) => void) {
    this.#round = round;
    this.#intervalMs = intervalMs;
    this.#failed = failed;
  }

  start(): void {
    this.#isRunning = true;
    this.wakeUp();
  }

  /**
   * There may be work: the next round begins at once after a pause, else shortly after the one before.
   * @param count wake-ups that this one stands for
   */
  wakeUp(count = 1): void {
    if (!this.#isRunning) return;
    const wereFew = this.#wakeUps < manyWakeUps;
    this.#wakeUps += count;
    // A round that is scheduled is brought forward once, when the wake-ups become many.
    if (this.#underWay === null && (!this.#isScheduled || (wereFew && this.#wakeUps >= manyWakeUps))) this.#beginSoon();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#underWay;
  }

  #beginSoon(): void {
    const pause = this.#wakeUps < manyWakeUps ? minPauseMs.few : minPauseMs.many;
    const early = this.#lastBegan + pause - performance.now();
    if (early <= 0) {
      this.#begin();
      return;
    }
    this.#isScheduled = true;
    this.#beginIn(early);
  }

  #begin(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isScheduled = false;
    this.#underWay = this.#rounds().finally(() => {
      this.#underWay = null;
      if (this.#wakeUps > 0 && this.#isRunning) this.#beginSoon();
      else this.#beginIn(this.#intervalMs);
    });
  }

  #beginIn(milliseconds: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#isRunning ? setTimeout(() => this.#begin(), milliseconds) : null;
  }

  async #rounds(): Promise<void> {
    this.#wakeUps = 0;
    try {
      do this.#lastBegan = performance.now();
      while ((await this.#round()) > 0 && this.#isRunning);
    } catch (error) {
      this.#wakeUps = 0;
      this.#failed(error);
    }
  }
}

/**
 * Least time between the beginnings of two rounds that hints ask for, in milliseconds: what many of them ask for is done by
 * one. A handful of hints is worth a round sooner than few.
 */
const least = { many: 20, few: 50 };
/** Hints that are many. */
const handful = 8;

/** Runs rounds of work one after the other: soon after a hint or while there is more to do, else at an interval. */
export class Pacer {
  private readonly round: () => Promise<number>;
  private readonly intervalMs: number;
  private readonly failed: (error: unknown) => void;
  private timer: NodeJS.Timeout | null = null;
  private underWay: Promise<void> | null = null;
  /** Hints since the last round began. */
  private hints = 0;
  private isRunning = false;
  private isSoon = false;
  private lastBegan = -Infinity;

  /**
   * @param round does some work and answers how much: above 0 means that more may be waiting
   * @param failed told of a round that threw; the next one comes after the interval
   */
  constructor(round: () => Promise<number>, intervalMs: number, failed: (error: unknown) => void) {
    this.round = round;
    this.intervalMs = intervalMs;
    this.failed = failed;
  }

  start(): void {
    this.isRunning = true;
    this.soon();
  }

  /**
   * There may be work: the next round comes at once after a rest, else shortly after the one before.
   * @param hints as many as this one stands for
   */
  soon(hints = 1): void {
    if (!this.isRunning) return;
    const wereFew = this.hints < handful;
    this.hints += hints;
    // That many hints have come is seen once: the round that waits comes sooner then.
    if (this.underWay === null && (!this.isSoon || (wereFew && this.hints >= handful))) this.beginSoon();
  }

  private beginSoon(): void {
    const early = this.lastBegan + (this.hints < handful ? least.few : least.many) - performance.now();
    if (early <= 0) {
      this.begin();
      return;
    }
    this.isSoon = true;
    this.wait(early);
  }

  private begin(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.isSoon = false;
    this.underWay = this.rounds().finally(() => {
      this.underWay = null;
      if (this.hints > 0 && this.isRunning) this.beginSoon();
      else this.wait(this.intervalMs);
    });
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.underWay;
  }

  private wait(milliseconds: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = this.isRunning ? setTimeout(() => this.begin(), milliseconds) : null;
  }

  private async rounds(): Promise<void> {
    this.hints = 0;
    try {
      do this.lastBegan = performance.now();
      while ((await this.round()) > 0 && this.isRunning);
    } catch (error) {
      this.hints = 0;
      this.failed(error);
    }
  }
}

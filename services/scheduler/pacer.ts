/** Runs rounds of work one after the other: at once after a hint or while there is more to do, else at an interval. */
export class Pacer {
  private readonly round: () => Promise<number>;
  private readonly intervalMs: number;
  private readonly failed: (error: unknown) => void;
  private timer: NodeJS.Timeout | null = null;
  private underWay: Promise<void> | null = null;
  private isHinted = false;
  private isRunning = false;

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

  /** There may be work: the next round comes at once, or right after the one under way. */
  soon(): void {
    if (!this.isRunning) return;
    if (this.underWay !== null) {
      this.isHinted = true;
      return;
    }
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.underWay = this.rounds().finally(() => {
      this.underWay = null;
      if (this.isHinted) this.soon();
      else this.wait();
    });
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.underWay;
  }

  private wait(): void {
    if (this.isRunning) this.timer = setTimeout(() => this.soon(), this.intervalMs);
  }

  private async rounds(): Promise<void> {
    try {
      do {
        this.isHinted = false;
        if ((await this.round()) > 0) this.isHinted = true;
      } while (this.isHinted && this.isRunning);
    } catch (error) {
      this.isHinted = false;
      this.failed(error);
    }
  }
}

/** Something that takes work in while the program runs: a queue's consumer, a timer, a listener. */
export interface Intake {
  name: string;
  start(): Promise<void>;
  /** Takes nothing new, and ends or hands back what is in hand within `milliseconds`. */
  stop(milliseconds: number): Promise<void>;
}

/**
 * The phases of a process. Intakes start only after the broker has started (all services and stores are there), and
 * stop before it does; readiness is refused from the first moment of stopping.
 */
export class Lifecycle {
  private intakes: Intake[] = [];
  private started: Intake[] = [];
  private isDraining = false;

  /** True from the first moment of stopping: readiness answers 503. */
  get draining(): boolean {
    return this.isDraining;
  }

  /** Adds an intake; services do so when they are created. */
  add(intake: Intake): void {
    this.intakes.push(intake);
  }

  /** Starts all intakes, in the order in which they were added. */
  async start(): Promise<void> {
    for (const intake of this.intakes) {
      await intake.start();
      this.started.push(intake);
    }
  }

  /** Refuses readiness, without stopping anything yet. */
  beginDraining(): void {
    this.isDraining = true;
  }

  /** Stops all intakes at once; answers the names of those that failed to stop. */
  async stop(milliseconds: number): Promise<string[]> {
    this.isDraining = true;
    const results = await Promise.allSettled(this.started.map((intake) => intake.stop(milliseconds)));
    const failed = this.started.filter((_, index) => results[index]?.status === 'rejected').map((intake) => intake.name);
    this.started = [];
    return failed;
  }
}

/** A source of work while the program runs: a queue consumer, a timer, a listener. */
export interface Intake {
  name: string;
  start(): Promise<void>;
  /** Accepts no new work, and finishes or returns the current work within `milliseconds`. */
  stop(milliseconds: number): Promise<void>;
}

/** The phases of a process, in their order. */
export type Phase = 'starting' | 'serving' | 'stopping';

/**
 * The phases of a process. Intakes start only after the broker has started (all services and stores are there), and
 * stop before it does; readiness is refused until the whole start is over and from the first moment of stopping.
 */
export class Lifecycle {
  private intakes: Intake[] = [];
  private started: Intake[] = [];
  private current: Phase = 'starting';

  /** The phase of the process; readiness responds with 503 in all phases except `serving`. */
  get phase(): Phase {
    return this.current;
  }

  /** True from the first moment of stopping. */
  get draining(): boolean {
    return this.current === 'stopping';
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

  /** Ends the start: from here on the process is ready, and stops in order. */
  beginServing(): void {
    if (this.current === 'starting') this.current = 'serving';
  }

  /** Refuses readiness, without stopping anything yet. */
  beginDraining(): void {
    this.current = 'stopping';
  }

  /** Stops all intakes at once; answers the names of those that failed to stop. */
  async stop(milliseconds: number): Promise<string[]> {
    this.current = 'stopping';
    const results = await Promise.allSettled(this.started.map((intake) => intake.stop(milliseconds)));
    const failed = this.started
      .filter((_, index) => results[index]?.status === 'rejected')
      .map((intake) => intake.name);
    this.started = [];
    return failed;
  }
}

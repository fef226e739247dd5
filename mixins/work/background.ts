/** Work that never throws. */
type Work = () => Promise<unknown>;

/**
 * Work that goes on when the request that caused it is answered, because whatever it does not finish is finished by
 * somebody else later. So much of it runs or waits at once; beyond that, requests wait for their own.
 */
export class Background {
  readonly #most: number;
  readonly #gatherMs: number;
  readonly #running = new Set<Promise<void>>();
  readonly #gathered: Work[] = [];
  #timer: NodeJS.Timeout | null = null;

  /**
   * @param gatherMs milliseconds in which work is gathered before it begins, all of it at once: its writes then share
   *   flushes of the disk, which would otherwise be in the way of the requests that come next
   */
  constructor(most: number, gatherMs: number) {
    this.#most = most;
    this.#gatherMs = gatherMs;
  }

  /** Takes on work. Resolves at once, or when the work is done where as much runs as may. */
  async run(work: Work): Promise<void> {
    const isFull = this.#running.size + this.#gathered.length >= this.#most;
    if (isFull) {
      this.#beginGathered();
      await this.#begin(work);
      return;
    }
    this.#gathered.push(work);
    this.#timer ??= setTimeout(() => this.#beginGathered(), this.#gatherMs);
  }

  /** Resolves when nothing runs that was taken on. */
  async idle(): Promise<void> {
    this.#beginGathered();
    await Promise.all(this.#running);
  }

  #beginGathered(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const work of this.#gathered.splice(0)) void this.#begin(work);
  }

  #begin(work: Work): Promise<void> {
    const running: Promise<void> = work().then(() => void this.#running.delete(running));
    this.#running.add(running);
    return running;
  }
}

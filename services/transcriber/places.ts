/** Who waits for a place: a recording of an organization. */
export interface Waiter {
  organizationId: string;
  recording: string;
}

/** Work that waits, by recording in the order in which they are served. */
type Queues = Map<string, (() => void)[]>;

/**
 * Places that are taken in turns: each organization that waits has one after the other, and within it each recording. So
 * a short recording is not behind all pieces of a long one.
 */
export class FairPlaces {
  private free: number;
  /** The first organization is the next to be served. */
  private readonly waiting = new Map<string, Queues>();

  constructor(places: number) {
    this.free = places;
  }

  /**
   * Waits for a place. Answers how to give it back, which is done once.
   * @throws the signal's reason once it is aborted before there is a place.
   */
  async enter(waiter: Waiter, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.wait(waiter, signal);
    return () => this.leave();
  }

  private wait({ organizationId, recording }: Waiter, signal: AbortSignal): Promise<void> {
    const queues = this.waiting.get(organizationId) ?? new Map<string, (() => void)[]>();
    const queue = queues.get(recording) ?? [];
    this.waiting.set(organizationId, queues.set(recording, queue));
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        const place = queue.indexOf(take);
        if (place >= 0) queue.splice(place, 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      const take = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      signal.addEventListener('abort', abort, { once: true });
      queue.push(take);
    });
  }

  private leave(): void {
    const next = this.next();
    if (next === undefined) this.free++;
    else next();
  }

  /** The next to be served; its recording and its organization go to the end. */
  private next(): (() => void) | undefined {
    for (const [organizationId, queues] of this.waiting) {
      this.waiting.delete(organizationId);
      for (const [recording, queue] of queues) {
        queues.delete(recording);
        const next = queue.shift();
        if (queue.length > 0) queues.set(recording, queue);
        if (next === undefined) continue;
        if (queues.size > 0) this.waiting.set(organizationId, queues);
        return next;
      }
    }
    return undefined;
  }
}

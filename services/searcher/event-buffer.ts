import type { NewUsageEvent } from '../../models/usage-event.ts';

/** The usage event of one finished search, as it is sent. */
export type SearchEvent = NewUsageEvent;

/** How events are sent. */
export interface EventBufferOptions<T> {
  /**
   * Sends a batch of events. A batch that failed is sent again, the same events under the same number, before any
   * other: so the receiver can recognise repetitions.
   */
  send: (events: T[], number: number) => Promise<unknown>;
  /** Receives the number of events that were lost. */
  onLost: (count: number, reason: unknown) => void;
  /** Milliseconds between an event and its batch, and between attempts. */
  pauseMs: number;
  /** Events buffered while sending fails. */
  capacity: number;
}

/** Events of one batch. */
const maxBatch = 500;

/**
 * Buffers the events of finished searches for a moment and sends them in batches (usage to the ledger, searches to
 * their log), so that no search waits for a disk. Events that could not be sent are sent again. A killed process loses
 * the searches of the last `pauseMs` milliseconds, or longer while the store is unavailable: of usage, in the
 * customer's favour.
 */
export class EventBuffer<T = SearchEvent> {
  readonly #options: EventBufferOptions<T>;
  #events: T[] = [];
  /** The batch in progress: the first `size` events. */
  #batch = { size: 0, number: 0 };
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<boolean> | null = null;

  constructor(options: EventBufferOptions<T>) {
    this.#options = options;
  }

  /** Buffers an event. Beyond the capacity it is lost, and reported. */
  add(event: T): void {
    if (this.#events.length >= this.#options.capacity) {
      this.#options.onLost(1, new Error('the store has been unavailable for too long'));
      return;
    }
    this.#events.push(event);
    this.#schedule();
  }

  /** Sends all buffered events. Returns whether it succeeded. */
  flush(): Promise<boolean> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  /** Sends the rest, trying for at most `timeoutMs`, and reports what was lost. */
  async stop(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await this.flush()) && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, Math.min(this.#options.pauseMs, timeoutMs)));
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#events.length > 0)
      this.#options.onLost(this.#events.length, new Error('the store was unavailable when the searcher stopped'));
    this.#events = [];
    this.#batch.size = 0;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, this.#options.pauseMs);
  }

  async #sendAll(): Promise<boolean> {
    while (this.#events.length > 0) {
      if (this.#batch.size === 0)
        this.#batch = { size: Math.min(this.#events.length, maxBatch), number: this.#batch.number + 1 };
      const events = this.#events.slice(0, this.#batch.size);
      try {
        await this.#options.send(events, this.#batch.number);
      } catch {
        // The store is unavailable. The events stay buffered; `add` and `stop` report losses.
        this.#schedule();
        return false;
      }
      this.#events.splice(0, events.length);
      this.#batch.size = 0;
    }
    return true;
  }
}

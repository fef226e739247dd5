import type { UsageEvent } from '../../models/usage-event.ts';

/** The usage event of one finished search, as it is sent. */
export type SearchEvent = Omit<UsageEvent, 'receivedAt'>;

/** What the buffer works with. */
export interface UsageBufferOptions<T> {
  /**
   * Hands a batch of events over. A batch that was not taken is sent again, the same events under the same number, before
   * any other; so whoever takes it can tell what it has already.
   */
  send: (events: T[], number: number) => Promise<unknown>;
  /** Called with the number of events that could not be kept. */
  lost: (count: number, reason: unknown) => void;
  /** Milliseconds between a search and the write of its event, and between attempts. */
  pause: number;
  /** Events kept at most while they are not taken. */
  capacity: number;
}

/** Events handed over at a time. */
const mostTogether = 500;

/**
 * Keeps the events of finished searches for a moment and hands them over in batches (usage to the ledger, searches to
 * their log), so that no search waits for a disk. Events that were not taken are kept and tried again. A process that is
 * killed loses the searches of the last `pause` milliseconds (longer while the store is away): in usage that is the
 * customer's favour.
 */
export class UsageBuffer<T = SearchEvent> {
  private readonly options: UsageBufferOptions<T>;
  private waiting: T[] = [];
  /** How many of those that wait are the batch that is being sent, and its number. */
  private batch = { size: 0, number: 0 };
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<boolean> | null = null;

  constructor(options: UsageBufferOptions<T>) {
    this.options = options;
  }

  /** Takes an event. One too many is lost aloud. */
  add(event: T): void {
    if (this.waiting.length >= this.options.capacity) {
      this.options.lost(1, new Error('the store is away for too long'));
      return;
    }
    this.waiting.push(event);
    this.timer ??= setTimeout(() => {
      this.timer = null;
      void this.flush();
    }, this.options.pause);
  }

  /** Hands over what waits: true when everything was taken. */
  flush(): Promise<boolean> {
    this.sending ??= this.drain().finally(() => {
      this.sending = null;
    });
    return this.sending;
  }

  private async drain(): Promise<boolean> {
    while (this.waiting.length > 0) {
      if (this.batch.size === 0) this.batch = { size: Math.min(this.waiting.length, mostTogether), number: this.batch.number + 1 };
      const events = this.waiting.slice(0, this.batch.size);
      try {
        await this.options.send(events, this.batch.number);
      } catch {
        // The store is away: the events stay and are tried again after the pause; loss is reported by `stop` and `add`.
        this.timer ??= setTimeout(() => {
          this.timer = null;
          void this.flush();
        }, this.options.pause);
        return false;
      }
      this.waiting.splice(0, events.length);
      this.batch.size = 0;
    }
    return true;
  }

  /** Hands over the rest, trying for at most `milliseconds`; reports what could not be. */
  async stop(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (!(await this.flush()) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, Math.min(this.options.pause, milliseconds)));
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.waiting.length > 0) this.options.lost(this.waiting.length, new Error('the store was away when the searcher stopped'));
    this.waiting = [];
    this.batch.size = 0;
  }
}

import type { UsageEvent } from '../../models/usage-event.ts';

/** The usage event of one finished search, as it is sent. */
export type SearchEvent = Omit<UsageEvent, 'receivedAt'>;

/** What the buffer works with. */
export interface UsageBufferOptions {
  /** Hands events to the ledger. Repeating is safe: each event's id is fixed by its search. */
  send: (events: SearchEvent[]) => Promise<unknown>;
  /** Called with the number of events that could not be kept. */
  lost: (count: number, reason: unknown) => void;
  /** Milliseconds between a search and the write of its event, and between attempts. */
  pause: number;
  /** Events kept at most while the ledger is away. */
  capacity: number;
}

/** Events handed over at a time. */
const batch = 500;

/**
 * Keeps the events of finished searches for a moment and hands them to the ledger in batches, so that no search waits
 * for the ledger's disk. Events that the ledger did not take are kept and tried again. A process that is killed loses
 * the searches of the last `pause` milliseconds (longer while the ledger is away): the customer's favour.
 */
export class UsageBuffer {
  private readonly options: UsageBufferOptions;
  private waiting: SearchEvent[] = [];
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<boolean> | null = null;

  constructor(options: UsageBufferOptions) {
    this.options = options;
  }

  /** Takes an event. One too many is lost aloud. */
  add(event: SearchEvent): void {
    if (this.waiting.length >= this.options.capacity) {
      this.options.lost(1, new Error('the ledger is away for too long'));
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
      const events = this.waiting.slice(0, batch);
      try {
        await this.options.send(events);
      } catch {
        // The ledger is away: the events stay and are tried again after the pause; loss is reported by `stop` and `add`.
        this.timer ??= setTimeout(() => {
          this.timer = null;
          void this.flush();
        }, this.options.pause);
        return false;
      }
      this.waiting.splice(0, events.length);
    }
    return true;
  }

  /** Hands over the rest, trying for at most `milliseconds`; reports what could not be. */
  async stop(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (!(await this.flush()) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, Math.min(this.options.pause, milliseconds)));
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.waiting.length > 0) this.options.lost(this.waiting.length, new Error('the ledger was away when the searcher stopped'));
    this.waiting = [];
  }
}

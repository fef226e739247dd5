import { FairQueue } from '../../../models/fair-queue.ts';
import { StoreUnavailable } from '../unavailable.ts';
import type { Read, ReadAnswer } from './messages.ts';
import type { Thread } from './thread.ts';

/** Maximum reads of a thread: the current one and the next, so that it does not idle between them. */
const maxReadsPerThread = 2;
/** An organization with at most this many reads in the queue is served before larger ones. */
const headStart = 4;
/**
 * Milliseconds that a read may wait for a thread. Callers time out after 30 seconds: under sustained
 * overload, later results are useless.
 */
const maxWaitMs = 10_000;

interface Reader {
  thread: Thread<ReadAnswer>;
  isStarting: boolean;
}

interface QueuedRead {
  read: Read;
  queuedAt: number;
  resolve(answer: ReadAnswer): void;
  reject(error: Error): void;
}

/**
 * The reader threads of the index. A read goes to the thread with the fewest reads; while all are busy, organizations
 * take turns. A thread that exits is restarted.
 */
export class ReaderPool {
  readonly #start: () => Promise<Thread<ReadAnswer>>;
  readonly #maxWaitMs: number;
  readonly #readers: Reader[];
  readonly #queue = new FairQueue<QueuedRead>(headStart);
  #isClosed = false;

  private constructor(start: () => Promise<Thread<ReadAnswer>>, threads: readonly Thread<ReadAnswer>[], wait: number) {
    this.#start = start;
    this.#maxWaitMs = wait;
    this.#readers = threads.map((thread) => ({ thread, isStarting: false }));
  }

  /** Starts `count` threads. @throws StoreUnavailable */
  static async open(
    count: number,
    start: () => Promise<Thread<ReadAnswer>>,
    wait: number = maxWaitMs,
  ): Promise<ReaderPool> {
    return new ReaderPool(start, await Promise.all(Array.from({ length: count }, start)), wait);
  }

  /**
   * Runs a read on one of the threads. @throws StoreUnavailable when the store or every thread fails, or the read
   * waited too long
   */
  ask(organizationId: string, read: Read): Promise<ReadAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(closedError());
        return;
      }
      this.#queue.push(organizationId, { read, queuedAt: performance.now(), resolve, reject });
      this.#dispatch();
    });
  }

  /**
   * Runs a read ahead of the queue: health checks, which must not depend on the load, and reads that have waited for
   * their turn elsewhere.
   */
  askFirst(read: Read): Promise<ReadAnswer> {
    const reader = this.#leastBusy(Infinity);
    return reader === null ? this.ask('', read) : this.#send(reader.thread, read);
  }

  /** Rejects queued reads and ends every thread after its current reads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectQueued(closedError());
    await Promise.all(
      this.#readers
        .filter(({ thread }) => !thread.ended())
        .map(({ thread }) => thread.ask((id) => ({ id, read: 'close' }))),
    );
  }

  #send(thread: Thread<ReadAnswer>, read: Read): Promise<ReadAnswer> {
    return thread.ask((id) => ({ id, read })).finally(() => this.#dispatch());
  }

  /** Sends queued reads to threads with room. Synchronous: many reads may arrive in one turn of the event loop. */
  #dispatch(): void {
    while (this.#queue.length > 0) {
      const reader = this.#leastBusy(maxReadsPerThread);
      const queued = reader === null ? undefined : this.#queue.shift();
      if (reader === null || queued === undefined) return;
      if (performance.now() - queued.queuedAt > this.#maxWaitMs)
        queued.reject(new StoreUnavailable('the passage index is overloaded'));
      else this.#send(reader.thread, queued.read).then(queued.resolve, queued.reject);
    }
  }

  /** The thread with the fewest reads, fewer than `limit`; null if there is none. */
  #leastBusy(limit: number): Reader | null {
    let [leastBusy, load]: [Reader | null, number] = [null, limit];
    for (const reader of this.#readers) {
      if (reader.thread.ended()) this.#restart(reader);
      else if (reader.thread.busy() < load) [leastBusy, load] = [reader, reader.thread.busy()];
    }
    return leastBusy;
  }

  #restart(reader: Reader): void {
    if (reader.isStarting || this.#isClosed) return;
    reader.isStarting = true;
    this.#start()
      .then(async (thread) => {
        if (this.#isClosed) await thread.ask((id) => ({ id, read: 'close' }));
        reader.thread = thread;
        reader.isStarting = false;
        this.#dispatch();
      })
      .catch((error: unknown) => {
        reader.isStarting = false;
        // The remaining threads continue, and the next read tries to start this one again.
        if (this.#readers.every(({ thread }) => thread.ended()))
          this.#rejectQueued(
            error instanceof Error
              ? error
              : new StoreUnavailable('no reader thread of the passage index can be started', { cause: error }),
          );
      });
  }

  #rejectQueued(error: Error): void {
    for (let queued = this.#queue.shift(); queued !== undefined; queued = this.#queue.shift()) queued.reject(error);
  }
}

function closedError(): StoreUnavailable {
  return new StoreUnavailable('the passage index is closed');
}

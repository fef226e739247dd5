import type { Worker } from 'node:worker_threads';
import { FairTurns } from '../../../models/fair-queue.ts';
import { StoreUnavailable } from '../port.ts';
import type { Answer, AnswerValue, ReadRequest } from './messages.ts';
import type { PackedParts, PartsOrder } from './parts.ts';
import { startThread, valueOf, watchThread } from './thread.ts';

interface Pending {
  request: ReadRequest;
  collection: string;
  owner: string;
  resolve(value: AnswerValue): void;
  reject(error: unknown): void;
}

interface ReaderThread {
  worker: Worker;
  running: Pending | null;
  ended: Promise<void>;
}

/** Settings of the reader threads. */
export interface ReadersOptions {
  threads: number;
  /** A statement that runs longer ends, and is refused as StoreUnavailable. */
  maxStatementMs: number;
  /** Statements that may wait; one more is refused as StoreUnavailable. */
  maxQueued: number;
  /** The same for one organization, so that it cannot fill the queue of all. */
  maxQueuedPerOwner: number;
}

/** Owners with no more waiting statements than this go before owners with more. */
const headStart = 4;

/**
 * Threads that run statements which may visit many rows, so that the event loop does not wait for them. Organizations
 * take fair turns, and none has more than one statement running, besides a short one for a search: the statements of one
 * organization leave a thread free for the next.
 */
export class Readers {
  readonly #file: string;
  readonly #options: ReadersOptions;
  readonly #threads: ReaderThread[];
  readonly #onFailure: (cause: Error) => void;
  readonly #turns = new FairTurns(headStart);
  readonly #queues = new Map<string, Pending[]>();
  #queued = 0;
  #failure: Error | null = null;
  #drained: (() => void) | null = null;

  private constructor(
    file: string,
    workers: readonly Worker[],
    options: ReadersOptions,
    onFailure: (cause: Error) => void,
  ) {
    this.#file = file;
    this.#options = options;
    this.#onFailure = onFailure;
    this.#threads = workers.map((worker): ReaderThread => {
      const thread: ReaderThread = {
        worker,
        running: null,
        ended: new Promise((resolve) => worker.once('exit', () => resolve())),
      };
      worker.on('message', (answer: Answer) => this.#settle(thread, answer));
      watchThread(worker, (cause) => this.#fail(cause));
      return thread;
    });
  }

  /**
   * Starts the threads on a file.
   * @param onFailure called once when a thread ends by itself
   * @throws Error if the file cannot be opened
   */
  static async open(
    file: string,
    options: ReadersOptions,
    onFailure: (cause: Error) => void = () => undefined,
  ): Promise<Readers> {
    const module = new URL('./reader.ts', import.meta.url);
    const data = { file, maxStatementMs: options.maxStatementMs };
    const started = await Promise.allSettled(Array.from({ length: options.threads }, () => startThread(module, data)));
    const workers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = started.find((each) => each.status === 'rejected');
    if (failed !== undefined) {
      for (const worker of workers) await worker.terminate();
      throw failed.reason;
    }
    return new Readers(file, workers, options, onFailure);
  }

  /** Why the threads do not run any more; null while they do. */
  get failure(): Error | null {
    return this.#failure;
  }

  /**
   * Runs a statement in its owner's turn; resolves with the first column of each row.
   * @param owner id of the organization; empty for the deployment's own work
   * @throws StoreUnavailable if too many statements wait, or the statement runs too long
   */
  async read(owner: string, collection: string, request: Omit<ReadRequest, 'parts'>): Promise<string[]> {
    const rows = await this.#ask(owner, collection, request);
    return Array.isArray(rows) ? rows : [];
  }

  /**
   * Makes parts of the documents that a statement selects by their ids. Such a statement takes milliseconds, and a search
   * waits for it: it has turns of its own, so that it does not wait for the long statements of its owner.
   * @throws StoreUnavailable as `read` does
   */
  async readParts(
    owner: string,
    collection: string,
    request: ReadRequest & { parts: PartsOrder },
  ): Promise<PackedParts> {
    const packed = await this.#ask(`${owner} parts`, collection, request);
    if (typeof packed !== 'object' || packed === null || Array.isArray(packed))
      throw new Error(`${collection}: a reader answered no parts`);
    return packed;
  }

  #ask(owner: string, collection: string, request: ReadRequest): Promise<AnswerValue> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(new StoreUnavailable(this.#file, { cause: this.#failure }));
      const queue = this.#queues.get(owner) ?? [];
      if (this.#queued >= this.#options.maxQueued || queue.length >= this.#options.maxQueuedPerOwner)
        return reject(new StoreUnavailable(this.#file, { cause: new Error('too many statements wait for it') }));
      queue.push({ request, collection, owner, resolve, reject });
      this.#queues.set(owner, queue);
      this.#queued += 1;
      this.#dispatch();
    });
  }

  /** Lets the waiting statements run, then ends the threads. */
  async close(): Promise<void> {
    if (this.#failure === null && this.#isBusy()) await new Promise<void>((resolve) => (this.#drained = resolve));
    this.#failure ??= new Error('it is closed');
    for (const { worker } of this.#threads) worker.postMessage('close');
    await Promise.all(this.#threads.map(({ ended }) => ended));
  }

  #isBusy(): boolean {
    return this.#queued > 0 || this.#threads.some(({ running }) => running !== null);
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.running !== null) continue;
      const next = this.#next();
      if (next === null) return;
      thread.running = next;
      thread.worker.postMessage(next.request);
    }
  }

  #next(): Pending | null {
    const running = new Set(this.#threads.map((thread) => thread.running?.owner));
    const waiting = [...this.#queues].filter(([owner]) => !running.has(owner));
    const owner = this.#turns.take(waiting.map(([name, queue]) => [name, queue.length] as const));
    if (owner === null) return null;
    const queue = this.#queues.get(owner);
    const next = queue?.shift() ?? null;
    if (queue?.length === 0) this.#queues.delete(owner);
    if (next !== null) this.#queued -= 1;
    return next;
  }

  #settle(thread: ReaderThread, answer: Answer): void {
    const done = thread.running;
    thread.running = null;
    this.#dispatch();
    if (done !== null) {
      try {
        done.resolve(valueOf(answer, done.collection, this.#file));
      } catch (error) {
        done.reject(error);
      }
    }
    if (!this.#isBusy()) this.#drained?.();
  }

  #fail(cause: Error): void {
    if (this.#failure !== null) return;
    this.#failure = cause;
    const unanswered = [...this.#threads.flatMap(({ running }) => running ?? []), ...[...this.#queues.values()].flat()];
    for (const thread of this.#threads) thread.running = null;
    this.#queues.clear();
    this.#queued = 0;
    for (const { reject } of unanswered) reject(new StoreUnavailable(this.#file, { cause }));
    this.#drained?.();
    this.#onFailure(cause);
  }
}

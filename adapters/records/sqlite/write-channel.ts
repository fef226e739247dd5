import type { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../port.ts';
import type { Answer, AnswerValue, WriteRequest } from './messages.ts';
import { startThread, valueOf, watchThread } from './thread.ts';
import { TouchedDocuments } from './touched.ts';

interface Pending {
  request: WriteRequest;
  size: number;
  collection: string;
  resolve(value: AnswerValue): void;
  reject(error: unknown): void;
}

/** How many writes travel together, and how many may wait. */
export interface WriteLimits {
  /** Requests in one message, which is one transaction. */
  maxPerMessage: number;
  /** Messages that are under way at once. */
  maxInFlight: number;
  /** Requests that may wait; one more is refused as StoreUnavailable. */
  maxQueued: number;
  /** Characters of all waiting requests together. */
  maxCharacters: number;
}

/** Characters of one message: a transaction stays short enough for others to get their turn. */
const messageCharacters = 8 * 2 ** 20;

/**
 * The main thread's end of the writer thread. Requests that come while the writer is busy leave together in its next
 * message, which it makes one transaction: the more come at once, the fewer flushes each costs.
 */
export class WriteChannel {
  readonly #worker: Worker;
  readonly #limits: WriteLimits;
  readonly #file: string;
  readonly #queue: Pending[] = [];
  #characters = 0;
  readonly #inFlight: Pending[][] = [];
  #scheduled = false;
  readonly #touched = new Map<string, TouchedDocuments>();
  #failure: Error | null = null;
  readonly #ended: Promise<void>;
  #drained: (() => void) | null = null;
  readonly #onFailure: (cause: Error) => void;

  private constructor(worker: Worker, file: string, limits: WriteLimits, onFailure: (cause: Error) => void) {
    this.#onFailure = onFailure;
    this.#worker = worker;
    this.#limits = limits;
    this.#file = file;
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (answers: readonly Answer[]) => this.#settle(answers));
    watchThread(worker, (cause) => this.#fail(cause));
  }

  /**
   * Starts the writer thread on a file and waits until it has opened it.
   * @param module of the thread
   * @param onFailure called once when the thread ends by itself
   * @throws Error saying why the file could not be opened
   */
  static async open(
    module: URL,
    file: string,
    limits: WriteLimits,
    onFailure: (cause: Error) => void = () => undefined,
  ): Promise<WriteChannel> {
    return new WriteChannel(await startThread(module, { file }), file, limits, onFailure);
  }

  /**
   * Sends a request; resolves with its value once it is on the disk.
   * @param size characters of the request, about
   * @throws DuplicateRecord, StoreUnavailable, or Error for a request that no store can do
   */
  send(collection: string, request: WriteRequest, size: number): Promise<AnswerValue> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(new StoreUnavailable(this.#file, { cause: this.#failure }));
      if (
        this.#queue.length >= this.#limits.maxQueued ||
        (this.#characters > 0 && this.#characters + size > this.#limits.maxCharacters)
      ) {
        return reject(new StoreUnavailable(this.#file, { cause: new Error('too many writes wait for it') }));
      }
      this.#queue.push({ request, size, collection, resolve, reject });
      this.#characters += size;
      this.#schedule();
    });
  }

  /** What writes to a collection have touched: known before the promise of a write resolves. */
  touchedOf(collection: string): TouchedDocuments {
    const known = this.#touched.get(collection) ?? new TouchedDocuments();
    this.#touched.set(collection, known);
    return known;
  }

  /** Why the thread does not run any more; null while it does. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Lets the waiting writes end, then the thread. */
  async close(): Promise<void> {
    this.#schedule();
    if (this.#failure === null && (this.#queue.length > 0 || this.#inFlight.length > 0))
      await new Promise<void>((resolve) => (this.#drained = resolve));
    this.#failure ??= new Error('it is closed');
    this.#worker.postMessage('close');
    await this.#ended;
  }

  /** Requests of one turn of the event loop leave together. */
  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0 || this.#inFlight.length >= this.#limits.maxInFlight) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#queue.length > 0 && this.#inFlight.length < this.#limits.maxInFlight && this.#failure === null) {
      let count = 0;
      let characters = 0;
      for (const { size } of this.#queue) {
        if (count > 0 && (count >= this.#limits.maxPerMessage || characters + size > messageCharacters)) break;
        count += 1;
        characters += size;
      }
      const batch = this.#queue.splice(0, count);
      this.#characters -= characters;
      this.#inFlight.push(batch);
      this.#worker.postMessage(batch.map(({ request }) => request));
    }
  }

  #settle(answers: readonly Answer[]): void {
    const batch = this.#inFlight.shift() ?? [];
    this.#touch(batch);
    // The writer gets its next message before this thread turns to the answers.
    this.#flush();
    for (const [index, { collection, resolve, reject }] of batch.entries()) {
      try {
        resolve(valueOf(answers[index], collection, this.#file));
      } catch (error) {
        reject(error);
      }
    }
    if (this.#inFlight.length === 0 && this.#queue.length === 0) this.#drained?.();
  }

  #touch(batch: readonly Pending[]): void {
    const written = new Map<string, string[] | null>();
    for (const { collection, request } of batch) {
      const ids = touchedBy(request);
      const known = written.get(collection);
      if (ids === null || known === null) written.set(collection, null);
      else if (known === undefined) written.set(collection, [...ids]);
      else known.push(...ids);
    }
    for (const [collection, ids] of written) this.touchedOf(collection).touch(ids);
  }

  #fail(cause: Error): void {
    if (this.#failure !== null) return;
    this.#failure = cause;
    for (const { reject } of [...this.#inFlight.splice(0).flat(), ...this.#queue.splice(0)])
      reject(new StoreUnavailable(this.#file, { cause }));
    this.#characters = 0;
    this.#drained?.();
    this.#onFailure(cause);
  }
}

/** The documents that a request may change; null if that may be any. */
function touchedBy(request: WriteRequest): readonly string[] | null {
  switch (request.kind) {
    case 'insert':
    case 'update':
    case 'put':
    case 'remove':
      return [request.id];
    case 'insertNew':
      return request.ids;
    default:
      return null;
  }
}

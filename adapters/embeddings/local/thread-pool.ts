import { Worker } from 'node:worker_threads';
import { ModelUnavailable } from '../port.ts';
import type { Order, Ready, Setup, Vector } from './messages.ts';
import { WorkQueue, type Task } from './work-queue.ts';

/** Maximum queued texts of one purpose. */
const maxQueued = 20_000;
/** Milliseconds without a result after which a thread counts as hung; a text takes 10 to 100 ms. */
const maxSilenceMs = 60_000;
/** Milliseconds that `close` waits for threads to exit. */
const maxEndMs = 2_000;
/** Exited threads after which their text is rejected. */
const maxFailures = 3;
/** Delay in milliseconds before a thread that exited without a result is replaced; it doubles each time. */
const restartPause = { first: 100, max: 30_000 };
/** Idle milliseconds after which the thread for queries ends. */
const maxIdleMs = 600_000;

interface Thread {
  worker: Worker;
  /** Whether it embeds only queries. */
  isForQueries: boolean;
  ready: boolean;
  /** The text in progress. */
  current: { id: number; task: Task } | null;
  deadline: NodeJS.Timeout | null;
}

type Log = (message: string, details: Readonly<Record<string, unknown>>) => void;

function send(thread: Thread, order: Order): void {
  thread.worker.postMessage(order);
}

/** Requests that a thread ends and waits for a limited time: a thread that hangs in native code cannot be ended. */
async function ended(thread: Thread): Promise<void> {
  if (thread.deadline !== null) clearTimeout(thread.deadline);
  const { worker } = thread;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, maxEndMs);
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    send(thread, { kind: 'end' });
  });
  worker.unref();
}

/**
 * Threads that each load the model and embed one text at a time: with the 8-bit model this is faster than batches, and
 * a text's vector does not depend on other texts. The text of a thread that exits or hangs is embedded again by its
 * replacement. A passage takes many times as long as a query and cannot be interrupted: when a query would have to wait
 * for passages, one more thread starts, for queries only, which ends when it is idle.
 */
export class ThreadPool {
  readonly #setup: Setup;
  readonly #body: URL;
  readonly #warn: Log;
  readonly #queue = new WorkQueue(maxQueued);
  readonly #threads = new Set<Thread>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  /** Threads that start after the first one has loaded the model, so that a new process can search sooner. */
  #unstarted: number;
  /** The time before which no thread for queries is started, because the last one exited. */
  #noQueryThreadUntil = 0;
  /** Threads that exited in a row without a result. */
  #fruitless = 0;
  #nextId = 1;
  #closed = false;

  /** @param body the file that a thread runs; tests use another one */
  constructor(setup: Setup, threads: number, warn: Log, body = new URL('./worker.ts', import.meta.url)) {
    this.#setup = setup;
    this.#body = body;
    this.#warn = warn;
    this.#unstarted = threads - 1;
    this.#start(false);
  }

  /** Threads that have loaded the model. */
  get readyThreads(): number {
    return [...this.#threads].filter((thread) => thread.ready).length;
  }

  /** Embeds texts; returns the vectors in order. Owners take turns. @throws ModelUnavailable */
  async embed(texts: readonly string[], purpose: 'query' | 'passage', owner = ''): Promise<Float32Array[]> {
    if (this.#closed) throw new ModelUnavailable('the embedding model is closed');
    if (!this.#queue.hasRoom(purpose, texts.length)) throw new ModelUnavailable('the embedding model is overloaded');
    const vectors = texts.map(
      (text) =>
        new Promise<Float32Array>((resolve, reject) =>
          this.#queue.push(purpose, { text, purpose, owner, failures: 0, resolve, reject }),
        ),
    );
    this.#assign();
    return Promise.all(vectors);
  }

  /** Ends all threads and rejects all texts. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const error = new ModelUnavailable('the embedding model is closed');
    this.#rejectQueued(error);
    await Promise.all(
      [...this.#threads].map(async (thread) => {
        thread.current?.task.reject(error);
        await ended(thread);
      }),
    );
  }

  #start(isForQueries: boolean): void {
    const worker = new Worker(this.#body, { workerData: { ...this.#setup, isForQueries } satisfies Setup });
    const thread: Thread = { worker, isForQueries, ready: false, current: null, deadline: null };
    this.#threads.add(thread);
    let cause: unknown = null;
    worker.on('message', (message: Ready | Vector) => {
      if (!this.#threads.has(thread)) return;
      if (message.kind === 'vector') this.#finish(thread, message);
      else this.#onReady(thread);
      this.#assign();
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', (code) => this.#onEnd(thread, cause ?? new Error(`the thread ended with code ${code}`)));
  }

  #onReady(thread: Thread): void {
    thread.ready = true;
    this.#watch(thread);
    for (; this.#unstarted > 0 && !this.#closed; this.#unstarted--) this.#start(false);
  }

  #finish(thread: Thread, { id, vector }: Vector): void {
    const { current } = thread;
    if (current?.id !== id) return;
    thread.current = null;
    this.#watch(thread);
    this.#fruitless = 0;
    current.task.resolve(new Float32Array(vector));
  }

  /** Starts the time limit of a thread: for its result, or while it is idle. */
  #watch(thread: Thread): void {
    if (thread.deadline !== null) clearTimeout(thread.deadline);
    if (thread.current !== null) thread.deadline = setTimeout(() => this.#abandon(thread), maxSilenceMs);
    else thread.deadline = thread.isForQueries ? setTimeout(() => this.#dismiss(thread), maxIdleMs).unref() : null;
  }

  #dismiss(thread: Thread): void {
    this.#threads.delete(thread);
    send(thread, { kind: 'end' });
    thread.worker.unref();
  }

  /** Treats a hung thread as exited. If it continues later, it is ended. */
  #abandon(thread: Thread): void {
    send(thread, { kind: 'end' });
    thread.worker.unref();
    this.#onEnd(thread, new Error('the thread did not answer'));
  }

  #onEnd(thread: Thread, cause: unknown): void {
    if (thread.deadline !== null) clearTimeout(thread.deadline);
    if (!this.#threads.delete(thread) || this.#closed) return;
    const task = thread.current?.task;
    if (task !== undefined) {
      task.failures += 1;
      if (task.failures < maxFailures) this.#queue.push('again', task);
      else task.reject(new ModelUnavailable('embedding threads died over this text', { cause }));
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (thread.isForQueries) {
      this.#noQueryThreadUntil = performance.now() + restartPause.max;
      this.#warn('the embedding thread for queries ended', { cause: reason });
      this.#assign();
      return;
    }
    const wait =
      this.#fruitless === 0 ? 0 : Math.min(restartPause.max, restartPause.first * 2 ** (this.#fruitless - 1));
    this.#fruitless++;
    this.#warn('an embedding thread ended and is replaced', { cause: reason, waitMilliseconds: wait });
    // Texts must not wait forever for threads that cannot be started.
    if (this.#threads.size === 0 && this.#fruitless > maxFailures)
      this.#rejectQueued(new ModelUnavailable('the embedding model does not start', { cause }));
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start(false);
    }, wait);
    this.#restarts.add(timer);
  }

  #rejectQueued(error: ModelUnavailable): void {
    for (let task = this.#queue.shift(); task !== undefined; task = this.#queue.shift()) task.reject(error);
  }

  #assign(): void {
    for (const thread of this.#threads) {
      if (!thread.ready || thread.current !== null) continue;
      const task = thread.isForQueries ? this.#queue.shiftQuery() : this.#queue.shift();
      if (task !== undefined) this.#give(thread, task);
    }
    if (this.#queue.queries > 0) this.#startForQueries();
  }

  /** Starts the thread for queries if a query would wait for a passage. */
  #startForQueries(): void {
    const threads = [...this.#threads];
    if (threads.some(({ isForQueries }) => isForQueries) || performance.now() < this.#noQueryThreadUntil) return;
    if (threads.some(({ current }) => current?.task.purpose === 'passage')) this.#start(true);
  }

  #give(thread: Thread, task: Task): void {
    const id = this.#nextId++;
    thread.current = { id, task };
    this.#watch(thread);
    send(thread, { kind: 'text', id, text: task.text });
  }
}

import { Worker } from 'node:worker_threads';
import { ModelUnavailable } from '../port.ts';
import type { Order, Ready, Setup, Vector } from './messages.ts';
import { WorkQueue, type Task } from './work-queue.ts';

/** Texts of one purpose that may wait at a time. */
const waitingLimit = 20_000;
/** A text of the greatest length takes some hundredths of a second; a thread that is silent this long hangs (milliseconds). */
const silenceLimit = 60_000;
/** How long closing waits for threads to end by themselves (milliseconds). */
const endLimit = 2_000;
/** Threads that may die over one text before it is given up. */
const failuresPerText = 3;
/** Pauses before a thread that died without any work done is replaced: doubled each time, in milliseconds. */
const pause = { first: 100, longest: 30_000 };
/** Texts that a thread is given: the one that it works on, and the next. */
const mostGiven = 2;
/** Queries that wait for the thread of their own before those that are busy with passages are given some as well. */
const mostQueriesBehind = 3;
/** How long the thread for queries is kept without one (milliseconds). */
const restLimit = 600_000;

interface Thread {
  worker: Worker;
  /** Whether it is given queries alone. */
  isForQueries: boolean;
  ready: boolean;
  /** What it was given and has not answered, by the order's number. */
  tasks: Map<number, Task>;
  deadline: NodeJS.Timeout | null;
}

type Log = (message: string, details: Readonly<Record<string, unknown>>) => void;

function holds(thread: Thread, purpose: Task['purpose']): boolean {
  return [...thread.tasks.values()].some((task) => task.purpose === purpose);
}

function order(thread: Thread, message: Order): void {
  thread.worker.postMessage(message);
}

/** Asks a thread to end, and waits for it, but not for long: one that hangs in native code can not be ended at all. */
async function endOf(thread: Thread): Promise<void> {
  if (thread.deadline !== null) clearTimeout(thread.deadline);
  const { worker } = thread;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, endLimit);
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    order(thread, { kind: 'end' });
  });
  worker.unref();
}

/** A thread that tries a text again, over which one has died, is given nothing else meanwhile: so the text that kills is found. */
function isTrying(thread: Thread): boolean {
  return [...thread.tasks.values()].some((task) => task.failures > 0);
}

/**
 * Threads that each hold the model and embed one text at a time: with the 8-bit model that is faster than batches, and
 * a text's vector cannot depend on its neighbours. A thread that works has its next text already, so that it need not
 * wait for this thread to hand it over. A thread that dies or hangs is replaced and its texts are done again.
 * A passage takes many times as long as a query, and a text under way can not be interrupted: at the first query that
 * would have to wait for passages one more thread starts, which is for queries alone and ends when none have come for long.
 */
export class ThreadPool {
  readonly #setup: Setup;
  readonly #body: URL;
  readonly #warn: Log;
  readonly #queue = new WorkQueue(waitingLimit);
  readonly #threads = new Set<Thread>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  /** Threads that start once the first one has loaded the model: a starting program is ready sooner, and searches sooner. */
  #later: number;
  /** Until then no thread for queries is started: the last one died (milliseconds). */
  #withoutUntil = 0;
  #fruitless = 0;
  #nextId = 1;
  #closed = false;

  /** `body` is the file that a thread runs; another than the usual one only for tests. */
  constructor(setup: Setup, threads: number, warn: Log, body = new URL('./worker.ts', import.meta.url)) {
    this.#setup = setup;
    this.#body = body;
    this.#warn = warn;
    this.#later = threads - 1;
    this.#start(false);
  }

  /** Threads that have loaded the model. */
  get readyThreads(): number {
    return [...this.#threads].filter((thread) => thread.ready).length;
  }

  /** The vectors of texts, in order. Texts of several owners are embedded in turns. @throws ModelUnavailable */
  async embed(texts: readonly string[], purpose: 'query' | 'passage', owner = ''): Promise<Float32Array[]> {
    if (this.#closed) throw new ModelUnavailable('the embedding model is closed');
    if (!this.#queue.hasRoom(purpose, texts.length)) throw new ModelUnavailable('too many texts wait for the embedding model');
    const vectors = texts.map((text) => new Promise<Float32Array>((resolve, reject) => this.#queue.push(purpose, { text, purpose, owner, failures: 0, resolve, reject })));
    this.#assign();
    return Promise.all(vectors);
  }

  /** Ends all threads; what waits is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const refusal = new ModelUnavailable('the embedding model is closed');
    for (let task = this.#queue.shift(); task !== undefined; task = this.#queue.shift()) task.reject(refusal);
    await Promise.all([...this.#threads].map(async (thread) => {
      for (const task of thread.tasks.values()) task.reject(refusal);
      await endOf(thread);
    }));
  }

  #start(isForQueries: boolean): void {
    const worker = new Worker(this.#body, { workerData: { ...this.#setup, isForQueries } satisfies Setup });
    const thread: Thread = { worker, isForQueries, ready: false, tasks: new Map(), deadline: null };
    this.#threads.add(thread);
    let cause: unknown = null;
    worker.on('message', (message: Ready | Vector) => {
      if (!this.#threads.has(thread)) return;
      if (message.kind === 'vector') this.#finish(thread, message);
      else this.#loaded(thread);
      this.#assign();
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', (code) => this.#ended(thread, cause ?? new Error(`the thread ended with code ${code}`)));
  }

  #loaded(thread: Thread): void {
    thread.ready = true;
    this.#watch(thread);
    for (; this.#later > 0 && !this.#closed; this.#later--) this.#start(false);
  }

  #finish(thread: Thread, { id, vector }: Vector): void {
    const task = thread.tasks.get(id);
    thread.tasks.delete(id);
    this.#watch(thread);
    this.#fruitless = 0;
    task?.resolve(new Float32Array(vector));
  }

  /** Waits for the thread's next answer, from now on. */
  #watch(thread: Thread): void {
    if (thread.deadline !== null) clearTimeout(thread.deadline);
    if (thread.tasks.size > 0) thread.deadline = setTimeout(() => this.#abandon(thread), silenceLimit);
    else thread.deadline = thread.isForQueries ? setTimeout(() => this.#dismiss(thread), restLimit).unref() : null;
  }

  /** Lets a thread end that is no longer needed. */
  #dismiss(thread: Thread): void {
    this.#threads.delete(thread);
    order(thread, { kind: 'end' });
    thread.worker.unref();
  }

  /** A thread that hangs is left alone (it ends should it ever come back), and counts as ended. */
  #abandon(thread: Thread): void {
    order(thread, { kind: 'end' });
    thread.worker.unref();
    this.#ended(thread, new Error('the thread did not answer'));
  }

  #ended(thread: Thread, cause: unknown): void {
    if (thread.deadline !== null) clearTimeout(thread.deadline);
    if (!this.#threads.delete(thread) || this.#closed) return;
    for (const task of thread.tasks.values()) {
      if (++task.failures >= failuresPerText) task.reject(new ModelUnavailable('embedding threads died over this text', { cause }));
      else this.#queue.push('again', task);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (thread.isForQueries) {
      this.#withoutUntil = performance.now() + pause.longest;
      this.#warn('the embedding thread for queries ended', { cause: reason });
      this.#assign();
      return;
    }
    const wait = this.#fruitless === 0 ? 0 : Math.min(pause.longest, pause.first * 2 ** (this.#fruitless - 1));
    this.#fruitless++;
    this.#warn('an embedding thread ended and is replaced', { cause: reason, waitMilliseconds: wait });
    if (this.#threads.size === 0 && this.#fruitless > failuresPerText) this.#refuseWaiting(cause);
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start(false);
    }, wait);
    this.#restarts.add(timer);
  }

  /** No thread stands up: what waits must not wait for ever. */
  #refuseWaiting(cause: unknown): void {
    for (let task = this.#queue.shift(); task !== undefined; task = this.#queue.shift()) task.reject(new ModelUnavailable('the embedding model does not start', { cause }));
  }

  #assign(): void {
    const ready = [...this.#threads].filter((thread) => thread.ready);
    const forQueries = ready.find((thread) => thread.isForQueries);
    if (forQueries !== undefined) for (let given = forQueries.tasks.size; given < mostGiven; given += 1) this.#give(forQueries, this.#queue.shiftOf('query'));
    const forAll = ready.filter((thread) => !thread.isForQueries);
    for (const thread of forAll) if (thread.tasks.size === 0) this.#give(thread, this.#queue.shift());
    const working = forAll.filter((thread) => thread.tasks.size > 0 && !isTrying(thread));
    if (this.#queue.waiting('query') > 0 && working.some((thread) => holds(thread, 'passage'))) this.#startForQueries();
    // A query overtakes the passage that waits in a thread; more than one would wait for each other there.
    const behind = forQueries === undefined ? 0 : mostQueriesBehind;
    for (const thread of working) if (this.#queue.waiting('query') > behind && !holds(thread, 'query')) this.#give(thread, this.#queue.shiftOf('query'));
    for (const thread of working) if (thread.tasks.size < mostGiven) this.#give(thread, this.#nextFor(thread));
  }

  /** What a working thread does next. A query waits behind another, which takes as short, and not behind a passage. */
  #nextFor(thread: Thread): Task | undefined {
    return (holds(thread, 'query') ? this.#queue.shiftOf('query') : undefined) ?? this.#queue.shiftOf('passage');
  }

  #startForQueries(): void {
    if (performance.now() >= this.#withoutUntil && ![...this.#threads].some((thread) => thread.isForQueries)) this.#start(true);
  }

  #give(thread: Thread, task: Task | undefined): void {
    if (task === undefined) return;
    const id = this.#nextId++;
    thread.tasks.set(id, task);
    if (thread.tasks.size === 1) this.#watch(thread);
    order(thread, { kind: 'text', id, text: task.text, purpose: task.purpose });
  }
}

import { Worker } from 'node:worker_threads';
import { Pace, type PaceLimits } from '../../../models/pace.ts';
import { DuplicateRecord, StoreUnavailable, type Haste } from '../port.ts';
import type { Answer, Greeting } from './messages.ts';

interface Waiting<Request> {
  request: Request;
  size: number;
  collection: string;
  haste: Haste;
  resolve(value: string | number | boolean | null | string[]): void;
  reject(error: Error): void;
}

/** How many requests travel together, and how many may wait. */
export interface ChannelLimits {
  /** Requests in one message. */
  together: number;
  /** Messages that are under way at once. */
  inFlight: number;
  /** Requests that may wait; one more is refused as StoreUnavailable. */
  waiting: number;
  /** Characters of all waiting requests together. */
  characters: number;
  /** When patient requests alone make a message: as soon as this many wait, or in this pace. They are like any other where it is left out. */
  patience?: { enough: number; pace: PaceLimits };
}

/** Characters of one message: a transaction stays short enough for others to get their turn. */
const messageCharacters = 8 * 2 ** 20;

/**
 * The main thread's end of a worker. Requests that come while the worker is busy leave together in its next
 * message, which the writer makes one transaction: the more come at once, the fewer flushes each costs.
 */
export class Channel<Request> {
  readonly #worker: Worker;
  readonly #limits: ChannelLimits;
  readonly #store: string;
  readonly #waiting: Waiting<Request>[] = [];
  #characters = 0;
  /** How many of those that wait are in haste. */
  #prompt = 0;
  readonly #pace: Pace | null;
  /** Until patient requests leave that too few came to join. */
  #pause: NodeJS.Timeout | null = null;
  readonly #underWay: Waiting<Request>[][] = [];
  #scheduled = false;
  #broken: Error | null = null;
  readonly #ended: Promise<void>;
  #isClosing = false;
  #idle: (() => void) | null = null;
  readonly #onBroken: (cause: Error) => void;

  private constructor(worker: Worker, store: string, limits: ChannelLimits, onBroken: (cause: Error) => void) {
    this.#onBroken = onBroken;
    this.#worker = worker;
    this.#limits = limits;
    this.#pace = limits.patience === undefined ? null : new Pace(limits.patience.pace);
    this.#store = store;
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (answers: readonly Answer[]) => this.#take(answers));
    worker.on('error', (error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.#fail(new Error('its thread has ended')));
  }

  /**
   * Starts a worker on a file and waits until it has opened it. `onBroken` hears once when the worker ends by itself.
   * @throws Error saying why it could not.
   */
  static async open<R>(module: URL, file: string, limits: ChannelLimits, onBroken: (cause: Error) => void = () => undefined): Promise<Channel<R>> {
    const worker = new Worker(module, { workerData: file });
    const greeting = await new Promise<Greeting>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    if (!greeting.ready) throw new Error(`${file}: ${greeting.message}`);
    return new Channel<R>(worker, file, limits, onBroken);
  }

  /**
   * Sends a request; resolves with its value.
   * @throws DuplicateRecord, StoreUnavailable, or Error for a request that no store can do.
   */
  send(collection: string, request: Request, size: number, haste: Haste = 'prompt'): Promise<string | number | boolean | null | string[]> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== null) return reject(new StoreUnavailable(this.#store, { cause: this.#broken }));
      if (this.#waiting.length >= this.#limits.waiting || (this.#characters > 0 && this.#characters + size > this.#limits.characters)) {
        return reject(new StoreUnavailable(this.#store, { cause: new Error('too much work waits for it') }));
      }
      this.#waiting.push({ request, size, collection, haste, resolve, reject });
      this.#characters += size;
      if (haste === 'prompt') this.#prompt += 1;
      this.#schedule();
    });
  }

  /** Whether the worker runs. */
  get failure(): Error | null {
    return this.#broken;
  }

  /** Lets the work that waits end, then the worker. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#schedule();
    if (this.#broken === null && (this.#waiting.length > 0 || this.#underWay.length > 0)) await new Promise<void>((resolve) => (this.#idle = resolve));
    this.#broken ??= new Error('it is closed');
    this.#worker.postMessage('close');
    await this.#ended;
  }

  /** What the same turn of the event loop asks for leaves together, and patient requests with others of theirs. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#underWay.length >= this.#limits.inFlight) return;
    const wait = this.#wait();
    if (wait > 0) {
      this.#pause ??= setTimeout(() => {
        this.#pause = null;
        this.#pump();
      }, wait);
      return;
    }
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  /** Milliseconds for which those that wait may wait for more. */
  #wait(): number {
    const { patience } = this.#limits;
    if (patience === undefined || this.#pace === null || this.#prompt > 0 || this.#isClosing || this.#waiting.length >= patience.enough) return 0;
    return this.#pace.wait(performance.now());
  }

  #pump(): void {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
    while (this.#waiting.length > 0 && this.#underWay.length < this.#limits.inFlight && this.#broken === null) {
      let count = 0;
      let characters = 0;
      for (const { size } of this.#waiting) {
        if (count > 0 && (count >= this.#limits.together || characters + size > messageCharacters)) break;
        count += 1;
        characters += size;
      }
      const batch = this.#waiting.splice(0, count);
      this.#characters -= characters;
      this.#prompt -= batch.filter(({ haste }) => haste === 'prompt').length;
      this.#pace?.done(performance.now());
      this.#underWay.push(batch);
      this.#worker.postMessage(batch.map(({ request }) => request));
    }
  }

  #take(answers: readonly Answer[]): void {
    const batch = this.#underWay.shift() ?? [];
    // The worker gets its next message before this thread turns to the answers.
    if (this.#wait() === 0) this.#pump();
    else this.#schedule();
    for (const [place, { collection, resolve, reject }] of batch.entries()) {
      const answer = answers[place];
      if (answer === undefined) reject(new StoreUnavailable(this.#store, { cause: new Error('an answer is missing') }));
      else if ('value' in answer) resolve(answer.value);
      else if (answer.failure === 'duplicate') reject(new DuplicateRecord(collection, answer.message));
      else if (answer.failure === 'store') reject(new StoreUnavailable(this.#store, { cause: new Error(answer.message) }));
      else reject(new Error(`${collection}: ${answer.message}`));
    }
    if (this.#underWay.length === 0 && this.#waiting.length === 0) this.#idle?.();
  }

  #fail(error: Error): void {
    const isNews = this.#broken === null;
    this.#broken ??= error;
    const cause = this.#broken;
    for (const { reject } of [...this.#underWay.splice(0).flat(), ...this.#waiting.splice(0)]) reject(new StoreUnavailable(this.#store, { cause }));
    this.#characters = 0;
    this.#prompt = 0;
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#idle?.();
    if (isNews) this.#onBroken(cause);
  }
}

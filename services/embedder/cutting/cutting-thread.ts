import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { TextBlobs, TextPlace } from '../revision-text.ts';
import { Mailbox } from './mailbox.ts';
import type { FromThread, ToThread } from './messages.ts';

const bodyOfThread = new URL('./worker.ts', import.meta.url);
/** A batch takes some hundredths of a second, on a machine that is overloaded some seconds: a thread that is silent for two spans of this many milliseconds hangs. */
const silence = 180_000;
/** How long the end of a thread is waited for, in milliseconds. */
const endLimit = 2000;
/**
 * Its memory, in MiB. What is held at a time is a few batches and the words that were met last, about 25 in all; left alone,
 * the engine would let four times as much lie before it looks for what can go, and keep some of it for good.
 */
const memory = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 96 };

type Batch = Extract<FromThread, { kind: 'passages' }>;

/** What a thread is started with. */
export interface CuttingThreadOptions {
  log: Pick<Logger, 'warn'>;
  /** File of its body: another than the usual one only for tests. */
  body?: URL;
}

/** A text that the thread cuts. */
export interface ThreadCut {
  /** The next batch. @throws what reading the blobs throws, what the cut was failed with, Error where the thread ended */
  next(): Promise<Batch>;
  /** Lets the one who waits fail. */
  fail(error: unknown): void;
  /** Nobody takes batches any more. */
  end(): void;
}

interface Known {
  batches: Mailbox<Batch>;
  blobs: TextBlobs;
  sources: Map<string, AsyncIterator<Uint8Array>>;
  /** Blobs that are not there, and what the store said of them. */
  missing: Map<string, unknown>;
  /** Pieces are read one after the other. */
  feeding: Promise<void>;
  /** Pieces that the thread waits for. */
  wanted: number;
}

/** One worker thread that cuts texts. Whether it can be used is told by `isAlive`. */
export class CuttingThread {
  readonly #worker: Worker;
  readonly #cuts = new Map<number, Known>();
  readonly #watch: NodeJS.Timeout;
  #lastId = 0;
  #isAlive = true;
  #heard = true;
  #isEnding = false;

  constructor({ log, body = bodyOfThread }: CuttingThreadOptions) {
    this.#worker = new Worker(body, { resourceLimits: memory });
    this.#watch = setInterval(() => this.#look(), silence).unref();
    let cause: unknown = null;
    this.#worker.on('message', (answer: FromThread) => this.#hear(answer));
    this.#worker.on('error', (error) => { cause = error; });
    this.#worker.on('exit', (code) => {
      this.#isAlive = false;
      clearInterval(this.#watch);
      const ended = new Error('the thread that cuts texts ended', { cause: cause ?? new Error(`exit code ${code}`) });
      if (!this.#isEnding) log.warn({ err: ended }, 'the thread that cuts texts ended: the next long text starts another one');
      for (const { batches } of this.#cuts.values()) batches.fail(ended);
    });
    // Only while it cuts does it keep the program running.
    this.#worker.unref();
  }

  get isAlive(): boolean {
    return this.#isAlive && !this.#isEnding;
  }

  /** Begins a text. */
  cut(blobs: TextBlobs, text: TextPlace, size: number): ThreadCut {
    const id = ++this.#lastId;
    const known: Known = { batches: new Mailbox(), blobs, sources: new Map(), missing: new Map(), feeding: Promise.resolve(), wanted: 0 };
    this.#cuts.set(id, known);
    this.#worker.ref();
    this.#heard = true;
    this.#tell({ kind: 'cut', id, text, size });
    return {
      next: async () => {
        const batch = await known.batches.take();
        this.#tell({ kind: 'taken', id });
        return batch;
      },
      fail: (error) => known.batches.fail(error),
      end: () => {
        if (!this.#cuts.delete(id)) return;
        this.#tell({ kind: 'stop', id });
        if (this.#cuts.size === 0) this.#worker.unref();
      },
    };
  }

  /** Ends it, and waits for it, but not for long. */
  async end(): Promise<void> {
    if (!this.#isAlive) return;
    this.#isEnding = true;
    const ended = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    this.#tell({ kind: 'end' });
    const timer = setTimeout(() => void this.#worker.terminate(), endLimit);
    this.#worker.ref();
    await ended;
    clearTimeout(timer);
  }

  #tell(message: ToThread, transfer: ArrayBuffer[] = []): void {
    if (this.#isAlive) this.#worker.postMessage(message, transfer);
  }

  #hear(answer: FromThread): void {
    this.#heard = true;
    const known = this.#cuts.get(answer.id);
    if (known === undefined) return;
    if (answer.kind === 'passages') known.batches.push(answer);
    else if (answer.kind === 'failed') known.batches.fail(failureOf(answer, known));
    else {
      known.wanted += 1;
      known.feeding = known.feeding.then(() => this.#feed(answer.id, known, answer.key)).finally(() => { known.wanted -= 1; });
    }
  }

  /** Sends the next piece of a blob. */
  async #feed(id: number, known: Known, key: string): Promise<void> {
    if (!this.#cuts.has(id)) return;
    try {
      const source = known.sources.get(key) ?? known.blobs.read(key)[Symbol.asyncIterator]();
      known.sources.set(key, source);
      const next = await source.next();
      // A copy of its own: the piece may lie in memory that others use, too.
      const bytes = next.done === true ? null : Uint8Array.from(next.value);
      this.#heard = true;
      this.#tell({ kind: 'piece', id, key, bytes }, bytes === null ? [] : [bytes.buffer]);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'BlobNotFound') {
        known.batches.fail(error);
        return;
      }
      known.missing.set(key, error);
      this.#tell({ kind: 'missing', id, key });
    }
  }

  /** Ends a thread that is awaited and says nothing. */
  #look(): void {
    const isAwaited = [...this.#cuts.values()].some(({ batches, wanted }) => batches.isAwaited && wanted === 0);
    if (isAwaited && !this.#heard) void this.#worker.terminate();
    this.#heard = !isAwaited;
  }
}

/** What a failure in the thread is here: of a blob that is not there, what the store said. */
function failureOf({ name, message }: Extract<FromThread, { kind: 'failed' }>, { missing }: Known): unknown {
  const [absent] = missing.values();
  return name === 'BlobNotFound' && absent !== undefined ? absent : Object.assign(new Error(message), { name });
}

import type { Passage } from '../../../models/passage.ts';
import { textKeys, type TextBlobs } from '../revision-text.ts';
import { BegunText } from './begun-text.ts';
import { CuttingThread, type CuttingThreadOptions } from './cutting-thread.ts';
import { cutHere, type Cutter, type CutRequest } from './cutter.ts';

/** Texts of up to so many bytes are cut at once: that takes a few milliseconds, and no thread is kept for it. */
const mostHere = 64 * 1024;
/** How long the thread is kept without a text, in milliseconds. */
const defaultRest = 30_000;

/** How a cutter is made. */
export interface ThreadCutterOptions extends CuttingThreadOptions {
  /** How long the thread is kept without a text, in milliseconds. */
  restMs?: number;
}

/**
 * Cuts long texts in a thread of its own, so that requests need not wait between two pieces of that work. The thread
 * starts with the first long text, ends when none has come for a while, and is replaced by the next text when it died:
 * whoever waited for it hears so, and tries again.
 */
export class ThreadCutter implements Cutter {
  readonly #options: ThreadCutterOptions;
  #thread: CuttingThread | null = null;
  #cuts = 0;
  #rest: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: ThreadCutterOptions) {
    this.#options = options;
  }

  /** Whether a thread is kept. */
  get hasThread(): boolean {
    return this.#thread?.isAlive === true;
  }

  async *batches(request: CutRequest): AsyncGenerator<Passage[]> {
    const { text, signal } = request;
    const blobs = await BegunText.open(request.blobs, textKeys(text), mostHere);
    try {
      signal.throwIfAborted();
      yield* blobs.isWhole ? cutHere.batches({ ...request, blobs }) : this.#inThread({ ...request, blobs });
    } finally {
      await blobs.close();
    }
  }

  /** Ends the thread; texts that are being cut fail. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#keepNoLonger();
    const thread = this.#thread;
    this.#thread = null;
    await thread?.end();
  }

  async *#inThread({ blobs, text, size, signal, read }: CutRequest & { blobs: TextBlobs }): AsyncGenerator<Passage[]> {
    if (this.#closed) throw new Error('no texts are cut any more');
    this.#keepNoLonger();
    if (this.#thread?.isAlive !== true) this.#thread = new CuttingThread(this.#options);
    this.#cuts += 1;
    const cut = this.#thread.cut(blobs, text, size);
    const abort = (): void => cut.fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (;;) {
        const { passages, bytes, isLast } = await cut.next();
        read(bytes);
        if (passages.length > 0) yield passages;
        if (isLast) return;
      }
    } finally {
      signal.removeEventListener('abort', abort);
      cut.end();
      this.#cuts -= 1;
      if (this.#cuts === 0 && !this.#closed) this.#rest = setTimeout(() => this.#dismiss(), this.#options.restMs ?? defaultRest).unref();
    }
  }

  #keepNoLonger(): void {
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.#rest = null;
  }

  #dismiss(): void {
    const thread = this.#thread;
    this.#thread = null;
    void thread?.end();
  }
}

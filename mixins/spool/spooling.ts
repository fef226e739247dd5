import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { AppContext } from '../app-context.ts';
import { PollLoop } from '../work/poll-loop.ts';
import { Sender, type SpooledBatch } from './sender.ts';
import { Spool, type SpoolOptions } from './spool.ts';

/** The parts of the app that spooling uses. */
export type SpoolingContext = Pick<AppContext, 'configuration' | 'log' | 'nodeId' | 'runtime'>;

/** What is spooled, and who gets it. */
export interface SpoolingOptions<T> extends Pick<SpoolOptions<T>, 'lineOf' | 'lossOf' | 'lost' | 'maxDiskBytes'> {
  /** Folder under the data folder; logs name the entries after it. */
  name: string;
  /** Hands a batch over. It may be repeated, with the same writer, number and lines. */
  send(batch: SpooledBatch): Promise<unknown>;
  /** Is told how much waits on disk. */
  measured(waiting: { bytes: number; oldestMs: number }): void;
}

const MiB = 2 ** 20;
/** Memory for entries while the disk takes nothing. */
const maxMemoryBytes = 16 * MiB;
/** Milliseconds between two attempts at sending, and between two looks for what other processes left. */
const sendPauseMs = 1000;
const adoptPauseMs = 60_000;

/**
 * Hands entries over that must not be lost with their process. They go to disk within milliseconds, in segments that
 * become batches with an id; the receiver gets each batch until it has acknowledged it. What a killed process left is sent
 * by the next one with the same data folder.
 */
export class Spooling<T> {
  readonly #app: SpoolingContext;
  readonly #options: SpoolingOptions<T>;
  readonly #sender: Sender;
  readonly #spool: Spool<T>;
  readonly #sending: PollLoop;
  readonly #adopting: PollLoop;

  constructor(app: SpoolingContext, options: SpoolingOptions<T>) {
    const { configuration, log, nodeId, runtime } = app;
    const { name } = options;
    this.#app = app;
    this.#options = options;
    const root = join(resolve(configuration.PLY_DATA_DIR), name);
    this.#sender = new Sender(root, nodeId, hostname(), runtime.now);
    this.#sending = new PollLoop(
      async () => {
        try {
          return (await this.#sender.sendNext(options.send)) ? 1 : 0;
        } finally {
          this.#measure();
        }
      },
      sendPauseMs,
      (error) => log.warn({ err: error, spool: name }, 'what is spooled could not be handed over, will retry'),
    );
    this.#adopting = new PollLoop(
      async () => {
        await this.#sender.adopt();
        this.#sending.wakeUp();
        return 0;
      },
      adoptPauseMs,
      (error) => log.warn({ err: error, spool: name }, 'the spool could not be read, will retry'),
    );
    this.#spool = new Spool({
      lineOf: options.lineOf,
      lossOf: options.lossOf,
      folder: join(root, nodeId),
      writer: runtime.uuid(),
      now: runtime.now,
      maxDiskBytes: options.maxDiskBytes,
      maxMemoryBytes,
      waitingBytes: () => this.#sender.bytes,
      sealed: (segment, bytes) => {
        this.#sender.add(segment, bytes);
        this.#sending.wakeUp();
      },
      lost: options.lost,
      failed: (error) => log.warn({ err: error, spool: name }, 'the spool could not be written, will retry'),
    });
    this.#measure();
  }

  /** Adds an entry. It does not wait and never throws. */
  record(entry: T): void {
    this.#spool.record(entry);
  }

  /** Begins to hand over. */
  start(): void {
    this.#adopting.start();
    this.#sending.start();
  }

  /** Stops, and hands over for half of the time what there is; the rest stays on disk. */
  async stop(milliseconds: number): Promise<void> {
    await Promise.all([this.#adopting.stop(), this.#sending.stop()]);
    await this.#handOver(milliseconds / 2);
  }

  /** Hands over everything that was recorded. Returns false if some of it waits on disk. */
  flush(): Promise<boolean> {
    return this.#handOver(Infinity);
  }

  #measure(): void {
    this.#options.measured({ bytes: this.#sender.bytes + this.#spool.openBytes, oldestMs: this.#sender.oldestMs });
  }

  async #handOver(milliseconds: number): Promise<boolean> {
    const deadline = performance.now() + milliseconds;
    const isWritten = await this.#spool.sealAll();
    try {
      while (performance.now() < deadline) if (!(await this.#sender.sendNext(this.#options.send))) return isWritten;
    } catch (error) {
      const { log } = this.#app;
      log.warn({ err: error, spool: this.#options.name }, 'what is spooled could not be handed over, it stays on disk');
    } finally {
      this.#measure();
    }
    return false;
  }
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Segment } from './segment.ts';

/** How a spool writes entries. */
export interface SpoolOptions<T> {
  /** An entry as one line, with its line feed. */
  lineOf: (entry: T) => string;
  /** A line that marks that entries like this one were lost, once for each key; null: nothing is marked. */
  lossOf: (entry: T) => { key: string; line: string } | null;
  /** Folder of this process. It is made when something is written. */
  folder: string;
  /** Unique for ever: batches are named after it. */
  writer: string;
  now: () => number;
  /** Bytes that may be on disk, and in memory while the disk takes nothing. */
  maxDiskBytes: number;
  maxMemoryBytes: number;
  /** A segment is complete: it can be sent. */
  sealed: (name: string, bytes: number) => void;
  /** Bytes of complete segments that wait on disk. */
  waitingBytes: () => number;
  /** Entries were lost: neither disk nor memory has room. */
  lost: (count: number) => void;
  failed: (error: unknown) => void;
}

/** Milliseconds between an entry and its write: what a killed process can lose. */
const writePauseMs = 20;
/** Milliseconds before what could not be written is tried again, and between two looks at the age of a segment. */
const retryPauseMs = 1000;
const idlePauseMs = 250;
/** Milliseconds between two flushes: what a machine without power can lose. */
const flushPauseMs = 1000;
/** A segment is sealed when it is this old or this large. */
const maxSegmentMs = 4000;
const maxSegmentBytes = 2 ** 19;
/** Losses that are remembered at most. */
const maxLosses = 10_000;

/** The segment that is being written. */
interface OpenSegment {
  segment: Segment;
  name: string;
  since: number;
  flushedAt: number;
}

/**
 * Writes entries to segments on disk. `record` only adds to memory; a timer writes what has come, and seals a segment
 * when it is large or old enough.
 */
export class Spool<T> {
  readonly #options: SpoolOptions<T>;
  #lines: string[] = [];
  #memoryBytes = 0;
  /** Bytes that are being written, or that could not be. */
  #unwritten: Buffer | null = null;
  #segment: OpenSegment | null = null;
  #next = 1;
  #timer: { timeout: NodeJS.Timeout; at: number } | null = null;
  #writing: Promise<void> | null = null;
  #losses = new Map<string, string>();

  constructor(options: SpoolOptions<T>) {
    this.#options = options;
  }

  /** Bytes of the segment that is being written. */
  get openBytes(): number {
    return this.#segment?.segment.bytes ?? 0;
  }

  /** Adds an entry. Without room it is lost, and that is marked. */
  record(entry: T): void {
    const line = this.#options.lineOf(entry);
    if (this.#memoryBytes + line.length > this.#options.maxMemoryBytes) {
      this.#lose(entry);
      return;
    }
    this.#lines.push(line);
    this.#memoryBytes += line.length;
    this.#writeWithin(writePauseMs);
  }

  /** Writes and seals everything that was recorded. Returns whether all of it is on disk. */
  async sealAll(): Promise<boolean> {
    // Bytes that could not be written before go first, alone.
    for (let pass = 0; pass < 3 && !this.#isEmpty(); pass += 1) {
      await this.#writing;
      await this.#write(true);
    }
    return this.#isEmpty();
  }

  #isEmpty(): boolean {
    return this.#memoryBytes === 0 && this.#losses.size === 0 && this.#segment === null;
  }

  /** Writes within `milliseconds`. */
  #writeWithin(milliseconds: number): void {
    const at = performance.now() + milliseconds;
    if (this.#writing !== null || (this.#timer !== null && this.#timer.at <= at)) return;
    if (this.#timer !== null) clearTimeout(this.#timer.timeout);
    const timeout = setTimeout(() => {
      this.#timer = null;
      if (this.#writing === null) void this.#write(false);
    }, milliseconds);
    // Listeners keep the process running; what is recorded while they stop is written before the broker has stopped.
    timeout.unref();
    this.#timer = { timeout, at };
  }

  #write(sealNow: boolean): Promise<void> {
    let pauseMs = writePauseMs;
    this.#writing = this.#writeOnce(sealNow)
      .catch((error: unknown) => {
        pauseMs = retryPauseMs;
        this.#options.failed(error);
      })
      .finally(() => {
        this.#writing = null;
        if (!this.#isEmpty()) this.#writeWithin(this.#memoryBytes > 0 ? pauseMs : idlePauseMs);
      });
    return this.#writing;
  }

  async #writeOnce(sealNow: boolean): Promise<void> {
    const { now } = this.#options;
    this.#takeLines();
    if (this.#unwritten !== null && !this.#hasRoom()) throw new Error('the spool is full');
    if (this.#unwritten !== null) {
      const { segment } = (this.#segment ??= await this.#newSegment());
      await segment.append(this.#unwritten);
      this.#memoryBytes -= this.#unwritten.byteLength;
      this.#unwritten = null;
    }
    const current = this.#segment;
    if (current === null) return;
    const isDue = now() - current.since >= maxSegmentMs || current.segment.bytes >= maxSegmentBytes;
    if (sealNow || isDue) {
      await current.segment.seal();
      this.#segment = null;
      this.#options.sealed(current.name, current.segment.bytes);
    } else if (now() - current.flushedAt >= flushPauseMs) {
      await current.segment.flush();
      current.flushedAt = now();
    }
  }

  /** Lines become the bytes to write; bytes that could not be written go first, unchanged. */
  #takeLines(): void {
    if (this.#unwritten !== null) return;
    this.#lines.push(...this.#losses.values());
    this.#losses.clear();
    if (this.#lines.length === 0) return;
    this.#unwritten = Buffer.from(this.#lines.join(''));
    this.#memoryBytes = this.#unwritten.byteLength;
    this.#lines = [];
  }

  #hasRoom(): boolean {
    return this.#options.waitingBytes() + this.openBytes < this.#options.maxDiskBytes;
  }

  async #newSegment(): Promise<OpenSegment> {
    const { folder, writer, now } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${writer}.${this.#next}`;
    const segment = await Segment.create(join(folder, name));
    this.#next += 1;
    return { segment, name, since: now(), flushedAt: now() };
  }

  #lose(entry: T): void {
    const loss = this.#options.lossOf(entry);
    if (loss !== null && this.#losses.size < maxLosses) this.#losses.set(loss.key, loss.line);
    this.#options.lost(1);
    this.#writeWithin(writePauseMs);
  }
}

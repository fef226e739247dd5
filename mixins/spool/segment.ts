import { open, rename, type FileHandle } from 'node:fs/promises';

/** Extension of a segment that is being written, and of one that is complete. */
export const openExtension = '.open';
/** Extension of a segment that is complete. */
export const batchExtension = '.batch';

/**
 * One file of the spool: lines that are appended until the segment is sealed. Its name is the id of the batch that it
 * becomes, so that a batch is the same however often it is read. A write that failed is repeated at the same place.
 */
export class Segment {
  readonly #path: string;
  readonly #handle: FileHandle;
  #bytes = 0;
  #isFlushed = true;
  #isRenamed = false;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Makes a segment. @param path without extension */
  static async create(path: string): Promise<Segment> {
    return new Segment(path, await open(`${path}${openExtension}`, 'wx', 0o600));
  }

  /** Bytes that were written. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends lines. After a failure the same bytes must be appended again before any other. */
  async append(lines: Uint8Array): Promise<void> {
    for (let at = 0; at < lines.byteLength;)
      at += (await this.#handle.write(lines, at, lines.byteLength - at, this.#bytes + at)).bytesWritten;
    this.#bytes += lines.byteLength;
    this.#isFlushed = false;
  }

  /** Flushes what was appended to the disk. */
  async flush(): Promise<void> {
    if (this.#isFlushed) return;
    await this.#handle.datasync();
    this.#isFlushed = true;
  }

  /** Ends the segment: it is on disk under the name of a batch. */
  async seal(): Promise<void> {
    await this.flush();
    // Repeated after a failure, this goes on where it failed.
    if (!this.#isRenamed) await rename(`${this.#path}${openExtension}`, `${this.#path}${batchExtension}`);
    this.#isRenamed = true;
    await this.#handle.close();
  }
}

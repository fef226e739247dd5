/** Bytes under names of ours: `derived/<organization>/<asset>/<revision>/<name>`. Names are `[A-Za-z0-9._/-]`, never `..`. */
export interface Blobs {
  /**
   * Stores all bytes of `body` under `key`, or nothing: readers see the old content or the whole new one.
   * It is durable when the promise resolves. Answers the number of bytes.
   */
  write(key: string, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<number>;
  /** The bytes, in pieces. @throws BlobNotFound */
  read(key: string): AsyncIterable<Uint8Array>;
  exists(key: string): Promise<boolean>;
  /** Removes every blob whose name begins with the prefix (which ends with `/`), or is the key itself. */
  remove(prefixOrKey: string): Promise<void>;
  list(prefix: string): AsyncIterable<{ key: string; bytes: number }>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** There is no blob of this name. Decide by `name`. */
export class BlobNotFound extends Error {
  constructor(key: string) {
    super(`no blob ${key}`);
    this.name = 'BlobNotFound';
  }
}

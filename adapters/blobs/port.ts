/**
 * Bytes by key: `derived/<organization>/<asset>/<revision>/<name>`. Keys are `[A-Za-z0-9._/-]`, never `..`.
 */
export interface Blobs {
  /**
   * Stores all bytes of `body` under `key`, or none: readers get either the old or the new content. The blob is durable
   * when the promise resolves. Returns the number of bytes.
   */
  write(key: string, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<number>;
  /** The bytes in chunks. @throws BlobNotFound */
  read(key: string): AsyncIterable<Uint8Array>;
  exists(key: string): Promise<boolean>;
  /** Removes every blob whose name begins with the prefix (which ends with `/`), or is the key itself. */
  remove(prefixOrKey: string): Promise<void>;
  list(prefix: string): AsyncIterable<{ key: string; bytes: number }>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** There is no blob with this key. Recognise it by `name`. */
export class BlobNotFound extends Error {
  constructor(key: string) {
    super(`no blob ${key}`);
    this.name = 'BlobNotFound';
  }
}

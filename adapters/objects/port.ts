/** A part of a content, as it was written. */
export interface StoredPart {
  /** Unique within the content: `[A-Za-z0-9_-]`, at most 100 characters. */
  name: string;
  bytes: number;
}

/** What a content looks like in the store. A record keeps it; only the store reads `form`. */
export interface ContentReference {
  /** The content's id, a UUID. */
  id: string;
  /** How its parts are joined, as `join` returned it. */
  form: string;
}

/** A stored file of the store, for the search for files that no record names. */
export interface StoredFile {
  /** Id of its content. */
  content: string;
  /** The part; null for what joins the parts. */
  part: string | null;
  bytes: number;
  /** When it was written, in milliseconds of the store's clock. */
  writtenAt: number;
}

/** First and last byte, both included. */
export interface ContentRange {
  from: number;
  to: number;
}

/**
 * Gives the memory of a piece back at once, where no other piece shares it. Left to the garbage collector, each 64 MiB of
 * pieces would make it walk the whole heap. Nothing may read the piece afterwards.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength && 'transfer' in buffer) buffer.transfer(0);
}

/**
 * The bytes of customers' objects. A content is written in parts under names that the service makes, joined without
 * copying where the store can, and never changed afterwards: another version of an object is another content.
 */
export interface Objects {
  /**
   * Writes a part of a content: all of its bytes or none. It is durable when the promise resolves. Pieces are taken from
   * the body one at a time, and are the store's from then on: their memory may be given back.
   * @throws WrongLength if the body has not exactly `bytes`; StoreUnavailable without space; what the body throws
   */
  writePart(content: string, part: StoredPart, body: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Joins parts to the content, in this order. It is durable when the promise resolves; repeating it does no harm. At
   * least one part.
   */
  join(content: string, parts: readonly StoredPart[]): Promise<ContentReference>;
  /**
   * The bytes of a range in pieces of at most 1 MiB. Nothing is read before the first piece.
   * @param buffer of at least 64 KiB; a store that can reads into it, so that a piece is valid until the next one is asked for
   * @throws ContentNotFound
   */
  read(content: ContentReference, range: ContentRange, buffer?: Buffer): AsyncIterable<Uint8Array>;
  /** The first bytes of a part, at most `bytes`. @throws ContentNotFound */
  head(content: string, part: string, bytes: number): Promise<Uint8Array>;
  /**
   * Removes all files of a content; missing ones do no harm.
   * @returns false, and nothing is removed, while this process reads the content
   */
  remove(content: string): Promise<boolean>;
  /** Removes one part of a content that no reader has. A missing one does no harm. */
  removePart(content: string, part: string): Promise<void>;
  /** The names of the parts that a content consists of. @throws ContentNotFound */
  partsOf(content: ContentReference): Promise<string[]>;
  /** All files, in groups of one content. Temporary files that their writers abandoned are removed on the way. */
  list(): AsyncIterable<readonly StoredFile[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The store has no such content. Decide by `name`. */
export class ContentNotFound extends Error {
  constructor(content: string) {
    super(`no content ${content}`);
    this.name = 'ContentNotFound';
  }
}

/** A part's body has another length than was announced. Decide by `name`. */
export class WrongLength extends Error {
  constructor(expected: number) {
    super(`the body has not the announced length of ${expected} bytes`);
    this.name = 'WrongLength';
  }
}

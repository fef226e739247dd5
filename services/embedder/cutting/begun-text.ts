import type { TextBlobs } from '../revision-text.ts';

interface Begun {
  head: Uint8Array[];
  /** The rest; null where there is none. */
  rest: AsyncIterator<Uint8Array> | null;
  /** Why it can not be read. */
  missing: Error | null;
}

/** The blobs of a text, of which the beginnings have been read. Each can be read once. */
export class BegunText implements TextBlobs {
  readonly #begun = new Map<string, Begun>();
  readonly #bytes: { read: number; most: number };

  private constructor(most: number) {
    this.#bytes = { read: 0, most };
  }

  /** Reads up to so many bytes of the blobs, and a piece more. @throws what the store throws, but for BlobNotFound: that waits for whoever reads the blob */
  static async open(blobs: TextBlobs, keys: readonly string[], most: number): Promise<BegunText> {
    const text = new BegunText(most);
    try {
      for (const key of keys) await text.#begin(key, blobs.read(key)[Symbol.asyncIterator]());
    } catch (error) {
      await text.close();
      throw error;
    }
    return text;
  }

  /** Whether all of it has been read: it is short. */
  get isWhole(): boolean {
    return [...this.#begun.values()].every(({ rest }) => rest === null);
  }

  async *read(key: string): AsyncGenerator<Uint8Array> {
    const begun = this.#begun.get(key);
    if (begun === undefined) throw new Error('this blob is no part of the text');
    if (begun.missing !== null) throw begun.missing;
    yield* begun.head.splice(0);
    for (let next = await begun.rest?.next(); next !== undefined && next.done !== true; next = await begun.rest?.next()) yield next.value;
    begun.rest = null;
  }

  /** Lets go of what was not read. */
  async close(): Promise<void> {
    await Promise.all([...this.#begun.values()].map(async ({ rest }) => rest?.return?.()));
  }

  async #begin(key: string, source: AsyncIterator<Uint8Array>): Promise<void> {
    const begun: Begun = { head: [], rest: source, missing: null };
    this.#begun.set(key, begun);
    try {
      while (this.#bytes.read <= this.#bytes.most) {
        const next = await source.next();
        if (next.done === true) {
          begun.rest = null;
          return;
        }
        begun.head.push(next.value);
        this.#bytes.read += next.value.byteLength;
      }
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'BlobNotFound') throw error;
      begun.missing = error;
      begun.rest = null;
    }
  }
}

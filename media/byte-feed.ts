/**
 * The bytes of a source in order. Bytes can be peeked at, and pieces can be given back, before they are read. Memory
 * holds only what was peeked at or given back, plus one piece.
 */
export class ByteFeed {
  private readonly source: AsyncIterator<Uint8Array>;
  /** Read from the source, not yet consumed; in order. */
  private readonly held: Uint8Array[] = [];
  private pending: Promise<void> | null = null;
  private ended = false;
  private failure: { error: unknown } | null = null;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /**
   * Waits for a piece. Resolves to false at the end of the source. A caller may stop waiting: a piece that arrives
   * later is kept for the next caller.
   * @throws what the source throws
   */
  async ready(): Promise<boolean> {
    while (this.held.length === 0 && !this.ended) await this.pull();
    if (this.held.length === 0 && this.failure !== null) throw this.failure.error;
    return this.held.length > 0;
  }

  /** The next available piece, or null. */
  take(): Uint8Array | null {
    return this.held.shift() ?? null;
  }

  private pull(): Promise<void> {
    this.pending ??= this.source
      .next()
      .then((result) => {
        if (result.done === true) this.ended = true;
        else if (result.value.byteLength > 0) this.held.push(result.value);
      })
      .catch((error: unknown) => {
        // Keep the error for the next caller: nobody may be waiting now.
        this.ended = true;
        this.failure = { error };
      })
      .finally(() => {
        this.pending = null;
      });
    return this.pending;
  }

  /**
   * The next bytes, without consuming them; fewer than `bytes` only at the end of the source.
   * @throws what the source throws
   */
  async peek(bytes: number): Promise<Uint8Array> {
    let length = lengthOf(this.held);
    while (length < bytes && !this.ended) {
      const pieces = this.held.length;
      await this.pull();
      length += lengthOf(this.held.slice(pieces));
    }
    if (this.failure !== null) throw this.failure.error;
    const whole = this.held.length === 1 && this.held[0] !== undefined ? this.held[0] : Buffer.concat(this.held);
    this.held.splice(0, this.held.length, ...(whole.byteLength === 0 ? [] : [whole]));
    return whole.subarray(0, bytes);
  }

  /** Returns consumed pieces, in order: they are read again next. */
  giveBack(pieces: readonly Uint8Array[]): void {
    this.held.unshift(...pieces);
  }

  /** Ends the source, in any state. */
  async close(): Promise<void> {
    this.ended = true;
    this.held.length = 0;
    await this.source.return?.();
  }

  /** The remaining pieces. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    while (await this.ready()) {
      const piece = this.take();
      if (piece !== null) yield piece;
    }
  }
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
}

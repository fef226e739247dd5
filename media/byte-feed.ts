/**
 * The bytes of a source in their order, of which the first can be looked at, and given back, before they are read.
 * At most what was looked at or given back is held, and one piece more.
 */
export class ByteFeed {
  private readonly source: AsyncIterator<Uint8Array>;
  /** Taken from the source, not yet read; in order. */
  private readonly held: Uint8Array[] = [];
  private asked: Promise<void> | null = null;
  private ended = false;
  private failure: { error: unknown } | null = null;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /**
   * Resolves when there is a piece to take (true), or none will come (false). A caller may stop waiting: what arrives
   * later is held for the next.
   * @throws what the source throws
   */
  async ready(): Promise<boolean> {
    while (this.held.length === 0 && !this.ended) await this.ask();
    if (this.held.length === 0 && this.failure !== null) throw this.failure.error;
    return this.held.length > 0;
  }

  /** The next piece that is there; null if none is. */
  take(): Uint8Array | null {
    return this.held.shift() ?? null;
  }

  private ask(): Promise<void> {
    this.asked ??= this.source
      .next()
      .then((result) => {
        if (result.done === true) this.ended = true;
        else if (result.value.byteLength > 0) this.held.push(result.value);
      })
      .catch((error: unknown) => {
        // Kept for whoever waits next: nobody may be waiting now.
        this.ended = true;
        this.failure = { error };
      })
      .finally(() => {
        this.asked = null;
      });
    return this.asked;
  }

  /**
   * The first bytes of what comes next, without taking them; fewer than `bytes` only if there are no more. @throws what
   * the source throws
   */
  async peek(bytes: number): Promise<Uint8Array> {
    let length = lengthOf(this.held);
    while (length < bytes && !this.ended) {
      const pieces = this.held.length;
      await this.ask();
      length += lengthOf(this.held.slice(pieces));
    }
    if (this.failure !== null) throw this.failure.error;
    const whole = this.held.length === 1 && this.held[0] !== undefined ? this.held[0] : Buffer.concat(this.held);
    this.held.splice(0, this.held.length, ...(whole.byteLength === 0 ? [] : [whole]));
    return whole.subarray(0, bytes);
  }

  /** Gives pieces back that were taken, in their order: they come next again. */
  giveBack(pieces: readonly Uint8Array[]): void {
    this.held.unshift(...pieces);
  }

  /** Ends the source, in any state. */
  async close(): Promise<void> {
    this.ended = true;
    this.held.length = 0;
    await this.source.return?.();
  }

  /** The rest, piece by piece. */
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

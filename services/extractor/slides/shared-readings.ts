/** Readings that are remembered at most, and UTF-16 units of text in them. */
const maxReadings = 2000;
const maxUnits = 4_000_000;

/** The lines of a picture, and whether they were read for another recording. */
export interface SharedReading {
  /** Null if the picture could not be read. */
  lines: string[] | null;
  isShared: boolean;
}

/**
 * Texts of pictures that were read lately, or are being read, for any recording of the same account. Who asks has
 * decoded the very picture, so nobody learns what is not in a file of theirs. Two identical videos that are read side
 * by side have each picture read once; the later one is mostly spared all of them. Held in memory, the last ones alone.
 */
export class SharedReadings {
  private readonly done = new Map<string, string[]>();
  private readonly underWay = new Map<string, Promise<string[] | null>>();
  private units = 0;

  /**
   * The lines of a picture: as they were read before, or are being read just now; else as they are read for this call.
   * @param accountId whose recordings share
   * @param digest of the picture, and of how it is read
   * @throws what `readNow` throws; the signal's reason while another's reading is waited for
   */
  async read(
    accountId: string,
    digest: string,
    signal: AbortSignal,
    readNow: () => Promise<string[] | null>,
  ): Promise<SharedReading> {
    const key = `${accountId} ${digest}`;
    for (;;) {
      const before = this.done.get(key);
      if (before !== undefined) return { lines: before, isShared: true };
      const running = this.underWay.get(key);
      if (running === undefined) return { lines: await this.readHere(key, readNow), isShared: false };
      const lines = await whileWanted(running, signal);
      // Where the other was called off, or could not read it, it is tried here.
      if (lines !== null) return { lines, isShared: true };
    }
  }

  private async readHere(key: string, readNow: () => Promise<string[] | null>): Promise<string[] | null> {
    const reading = readNow();
    // Others that wait must not fail because this reading does.
    this.underWay.set(
      key,
      reading.catch(() => null),
    );
    try {
      const lines = await reading;
      if (lines !== null) this.remember(key, lines);
      return lines;
    } finally {
      this.underWay.delete(key);
    }
  }

  private remember(key: string, lines: string[]): void {
    this.done.set(key, lines);
    this.units += unitsOf(lines);
    for (const [oldest, text] of this.done) {
      if (this.done.size <= maxReadings && this.units <= maxUnits) break;
      this.done.delete(oldest);
      this.units -= unitsOf(text);
    }
  }
}

function unitsOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/** Waits for something that belongs to others. @throws the signal's reason */
async function whileWanted<T>(other: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([other, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Maximum number of cached readings, and of UTF-16 units in them. */
const maxReadings = 2000;
const maxUnits = 4_000_000;

/** The lines of a picture, and whether another recording read them. */
export interface SharedReading {
  /** Null if the picture could not be read. */
  lines: string[] | null;
  isShared: boolean;
}

/**
 * A cache of texts of pictures for all recordings of the same account. A caller has decoded the picture itself, so the
 * cache reveals nothing to it. Of two concurrent identical videos, each picture is read once. In memory, with the
 * latest readings only.
 */
export class SharedReadings {
  private readonly done = new Map<string, string[]>();
  private readonly inProgress = new Map<string, Promise<string[] | null>>();
  private units = 0;

  /**
   * The lines of a picture: cached, or being read for another caller, otherwise read by this call.
   * @param accountId the account whose recordings share readings
   * @param digest of the picture and its settings
   * @throws what `readNow` throws; the signal's reason while waiting for another caller
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
      const running = this.inProgress.get(key);
      if (running === undefined) return { lines: await this.readHere(key, readNow), isShared: false };
      const lines = await unlessAborted(running, signal);
      // If the other caller was aborted or failed, this one tries.
      if (lines !== null) return { lines, isShared: true };
    }
  }

  private async readHere(key: string, readNow: () => Promise<string[] | null>): Promise<string[] | null> {
    const reading = readNow();
    // Waiting callers do not fail with this reading.
    this.inProgress.set(
      key,
      reading.catch(() => null),
    );
    try {
      const lines = await reading;
      if (lines !== null) this.remember(key, lines);
      return lines;
    } finally {
      this.inProgress.delete(key);
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

/** Waits for a promise of another caller. @throws the signal's reason */
async function unlessAborted<T>(other: Promise<T>, signal: AbortSignal): Promise<T> {
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

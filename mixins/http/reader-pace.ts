/**
 * Milliseconds after which a client that takes nothing of a response is disconnected. It is long, because the system
 * takes up to 4 MiB for a connection at once, and reports space again only when a third of it is free: to the process, a
 * client that reads 10 KiB a second takes nothing for more than two minutes.
 */
export const maxStallMs = 300_000;

/** The slowest client that a large response is sent to, in bytes a second, and when it is looked at for the first time. */
const minBytesPerSecond = 4096;
const graceMs = 30_000;

/** What a client has taken of a response, and how long it was waited for. */
export class ReaderPace {
  #bytes = 0;
  #waitedMs = 0;

  /** @param waitedMs the time that the client took for them; that of a slow store does not count */
  took(bytes: number, waitedMs: number): void {
    this.#bytes += bytes;
    this.#waitedMs += waitedMs;
  }

  /** Whether it has taken less than 4 KiB a second on average. What the system has taken for it counts as taken. */
  get isTooSlow(): boolean {
    return this.#waitedMs > graceMs && this.#bytes < (this.#waitedMs / 1000) * minBytesPerSecond;
  }
}

import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import { FairQueue } from '../../models/fair-queue.ts';
import { requestsFirst } from '../../models/requests-first.ts';

const mebibyte = 1024 * 1024;
/** Pieces of an organization that reads little go before those of others where they are no more. */
const headStart = 4;

/** How fast bytes may come. */
export interface SourcePaceLimits {
  bytesPerSecond: number;
  /** Bytes that are there at once after a pause: a file of a usual size does not wait. */
  atOnce: number;
}

interface Piece {
  bytes: number;
  go(): void;
}

/**
 * The pace of all sources that a process reads, while others need the event loop. Every byte passes it, and is hashed,
 * handed to the disk and collected as garbage there: a source that sends without end, as fast as it can, would take it
 * for itself. Who waits is served in turns between owners.
 */
export class SourcePace {
  readonly #limits: SourcePaceLimits;
  readonly #isNeeded: () => boolean;
  readonly #waiting = new FairQueue<Piece>(headStart);
  /** When the bytes that were let through are made up for, in milliseconds. */
  #evenAt = -Infinity;

  /** @param isNeeded whether anybody needs the event loop now: else nothing waits */
  constructor(limits: SourcePaceLimits, isNeeded: () => boolean) {
    this.#limits = limits;
    this.#isNeeded = isNeeded;
  }

  /** Resolves when an owner's next piece may go on. */
  async take(owner: string, bytes: number): Promise<void> {
    if (!this.#isNeeded()) return;
    if (this.#waiting.length === 0 && this.#evenAt <= performance.now()) this.#letThrough(bytes);
    else
      await new Promise<void>((resolve) => {
        this.#waiting.push(owner, { bytes, go: resolve });
        if (this.#waiting.length === 1) this.#serveLater();
      });
  }

  #letThrough(bytes: number): void {
    const { bytesPerSecond, atOnce } = this.#limits;
    const earliest = performance.now() - (atOnce / bytesPerSecond) * 1000;
    this.#evenAt = Math.max(this.#evenAt, earliest) + (bytes / bytesPerSecond) * 1000;
  }

  #serveLater(): void {
    setTimeout(
      () => {
        while (this.#evenAt <= performance.now()) {
          const next = this.#waiting.shift();
          if (next === undefined) return;
          this.#letThrough(next.bytes);
          next.go();
        }
        if (this.#waiting.length > 0) this.#serveLater();
      },
      Math.max(1, this.#evenAt - performance.now()),
    );
  }
}

/**
 * The one of this process, while requests come: at this pace sources took a tenth of the event loop, where one that
 * sent as fast as it could took a third, and had the whole heap looked through for garbage eight times a second.
 */
export const sourcePace = new SourcePace(
  { bytesPerSecond: 32 * mebibyte, atOnce: 8 * mebibyte },
  () => requestsFirst.areComing,
);

/** A client whose answers come at a pace; `waited` hears for how many milliseconds each piece had to wait. */
export function pacedClient(
  client: GuardedClient,
  pace: SourcePace,
  owner: string,
  waited: (milliseconds: number) => void,
): GuardedClient {
  async function* atPace(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of body) {
      const before = performance.now();
      await pace.take(owner, piece.byteLength);
      waited(performance.now() - before);
      yield piece;
    }
  }
  return {
    request: async (url, options) => {
      const answer = await client.request(url, options);
      return { ...answer, body: atPace(answer.body) };
    },
    close: () => client.close(),
  };
}

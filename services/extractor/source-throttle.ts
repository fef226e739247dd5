import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import { FairQueue } from '../../models/fair-queue.ts';
import { requestsFirst } from '../../models/requests-first.ts';

const mebibyte = 1024 * 1024;
/** How many chunks an organization that reads little may be ahead of the others. */
const lead = 4;

/** Limits of the throttle. */
export interface SourceThrottleLimits {
  bytesPerSecond: number;
  /** Bytes that pass without a delay after a pause: a file of a usual size is not delayed. */
  burstBytes: number;
}

interface Chunk {
  bytes: number;
  resume(): void;
}

/**
 * Limits the rate at which a process reads all its sources while it serves requests. Every byte is hashed, written to
 * disk and collected as garbage on the event loop, so an endless fast source would block it. Waiting chunks are served
 * in turns between organizations.
 */
export class SourceThrottle {
  readonly #limits: SourceThrottleLimits;
  readonly #isActive: () => boolean;
  readonly #waiting = new FairQueue<Chunk>(lead);
  /** When the passed bytes are within the rate again, in milliseconds. */
  #clearAt = -Infinity;

  /** @param isActive whether the limit applies now */
  constructor(limits: SourceThrottleLimits, isActive: () => boolean) {
    this.#limits = limits;
    this.#isActive = isActive;
  }

  /** Resolves when the next chunk of an owner may pass. */
  async take(owner: string, bytes: number): Promise<void> {
    if (!this.#isActive()) return;
    if (this.#waiting.length === 0 && this.#clearAt <= performance.now()) this.#pass(bytes);
    else
      await new Promise<void>((resolve) => {
        this.#waiting.push(owner, { bytes, resume: resolve });
        if (this.#waiting.length === 1) this.#serveLater();
      });
  }

  #pass(bytes: number): void {
    const { bytesPerSecond, burstBytes } = this.#limits;
    const earliest = performance.now() - (burstBytes / bytesPerSecond) * 1000;
    this.#clearAt = Math.max(this.#clearAt, earliest) + (bytes / bytesPerSecond) * 1000;
  }

  #serveLater(): void {
    setTimeout(
      () => {
        while (this.#clearAt <= performance.now()) {
          const next = this.#waiting.shift();
          if (next === undefined) return;
          this.#pass(next.bytes);
          next.resume();
        }
        if (this.#waiting.length > 0) this.#serveLater();
      },
      Math.max(1, this.#clearAt - performance.now()),
    );
  }
}

/**
 * The throttle of this process, active while requests arrive. At this rate sources take a tenth of the event loop.
 * Without it one fast source took a third, and caused eight full garbage collections a second.
 */
export const sourceThrottle = new SourceThrottle(
  { bytesPerSecond: 32 * mebibyte, burstBytes: 8 * mebibyte },
  () => requestsFirst.areComing,
);

/** A client whose response bodies are throttled. @param onWait receives the milliseconds that a chunk waited */
export function throttledClient(
  client: GuardedClient,
  throttle: SourceThrottle,
  owner: string,
  onWait: (milliseconds: number) => void,
): GuardedClient {
  async function* throttled(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of body) {
      const before = performance.now();
      await throttle.take(owner, chunk.byteLength);
      onWait(performance.now() - before);
      yield chunk;
    }
  }
  return {
    request: async (url, options) => {
      const answer = await client.request(url, options);
      return { ...answer, body: throttled(answer.body) };
    },
    close: () => client.close(),
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { giveBack } from '../../adapters/objects/port.ts';
import { BodyLost } from './body.ts';
import { Refusal } from '../../models/errors.ts';

/** The slowest client that a body is read from. */
export interface Pace {
  /** Bytes that must arrive within each span of `seconds`, unless the body ends before. */
  minBytes: number;
  seconds: number;
}

/**
 * The bytes of the latest seconds in which the client was waited for: the consumer's own time is not counted. The second
 * that has begun counts besides the whole ones, so that a client of exactly the least pace is not refused.
 */
class ReceivedBytes {
  readonly #pace: Pace;
  readonly #perSecond: number[];
  #waitedMs = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#perSecond = Array.from({ length: pace.seconds + 1 }, () => 0);
  }

  waited(milliseconds: number): void {
    const before = Math.floor(this.#waitedMs / 1000);
    this.#waitedMs += milliseconds;
    const now = Math.floor(this.#waitedMs / 1000);
    const slots = this.#perSecond.length;
    for (let second = before + 1; second <= Math.min(now, before + slots); second += 1)
      this.#perSecond[second % slots] = 0;
  }

  took(bytes: number): void {
    const slot = Math.floor(this.#waitedMs / 1000) % this.#perSecond.length;
    this.#perSecond[slot] = (this.#perSecond[slot] ?? 0) + bytes;
  }

  get isTooSlow(): boolean {
    return (
      this.#waitedMs >= this.#pace.seconds * 1000 &&
      this.#perSecond.reduce((sum, bytes) => sum + bytes, 0) < this.#pace.minBytes
    );
  }
}

/** Bytes that are waiting for the consumer, at which nothing more is read from the connection. */
const mostWaiting = 65_536;

/**
 * The pieces of a body that have arrived. They are taken together, in one piece that shares its memory with nothing else, so
 * that whoever stores it can give that back: the stream itself would leave the pieces that it joins to the garbage collector.
 */
class ArrivedPieces {
  readonly #request: IncomingMessage;
  #pieces: Buffer[] = [];
  #bytes = 0;
  readonly #onData = (piece: Buffer): void => {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes >= mostWaiting) this.#request.pause();
  };

  constructor(request: IncomingMessage) {
    this.#request = request;
    request.on('data', this.#onData);
  }

  /** What is there; null if nothing is. */
  take(): Buffer | null {
    const pieces = this.#pieces;
    const [first, ...others] = pieces;
    if (first === undefined) return null;
    let taken = first;
    if (others.length > 0) {
      taken = Buffer.allocUnsafeSlow(this.#bytes);
      let at = 0;
      for (const piece of pieces) {
        at += piece.copy(taken, at);
        giveBack(piece);
      }
    }
    this.#pieces = [];
    this.#bytes = 0;
    this.#request.resume();
    return taken;
  }

  /** Reads no more. */
  end(): void {
    this.#request.off('data', this.#onData).pause();
  }
}

/**
 * Yields a request's body as it arrives, and asks for it first where the client waits for `100 Continue`. Nothing more
 * is read from the connection than two times 64 KiB until the consumer asks for the next piece.
 * @throws Refusal `upload_too_slow`, and the connection stays open for the answer; BodyLost where the client went away
 */
export async function* readPacedBody(
  request: IncomingMessage,
  response: ServerResponse,
  pace: Pace,
): AsyncGenerator<Buffer, void, undefined> {
  if (request.destroyed) throw new BodyLost();
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  const received = new ReceivedBytes(pace);
  const arrived = new ArrivedPieces(request);
  try {
    for (;;) {
      const piece = arrived.take();
      if (piece !== null) {
        received.took(piece.length);
        yield piece;
        continue;
      }
      if (request.readableEnded) return;
      if (request.destroyed || request.errored !== null) throw new BodyLost();
      const began = performance.now();
      await nextEvent(request);
      received.waited(performance.now() - began);
      if (received.isTooSlow)
        throw new Refusal('upload_too_slow', {
          detail: `Fewer than ${pace.minBytes} bytes came in ${pace.seconds} seconds; send the part again.`,
          retryable: true,
        });
    }
  } finally {
    arrived.end();
  }
}

/** Waits until more of the request has arrived, it has ended, or a second has passed. */
function nextEvent(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      request.off('data', done).off('end', done).off('error', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, 1000);
    request.on('data', done).on('end', done).on('error', done).on('close', done);
  });
}

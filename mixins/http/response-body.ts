import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { maxStallMs, ReaderPace } from './reader-pace.ts';

/** Largest piece that is handed to a connection at a time, in bytes. */
export const pieceBytes = 2 ** 18;
/** Least piece of a paced response. */
const minPacedBytes = 1024;

/** Buffers that are kept for the next response: 16 MiB of them. */
const maxFreeBuffers = 64;
const freeBuffers: Buffer[] = [];
/** Buffers of full size that are lent at the same time: 128 MiB. Further readers get small ones, however slow they are. */
const maxLentBuffers = 512;
const smallBufferBytes = 2 ** 16;
let lentBuffers = 0;

/** A buffer that somebody has for a while. */
export interface LentBuffer {
  buffer: Buffer;
  /** To be called once, when nothing reads the buffer any more. */
  giveBack: () => void;
}

/**
 * Lends a buffer of `pieceBytes`, or a smaller one where very many are lent, to read a file into it piece by piece. A new
 * one for each piece costs several times as much as reading it, because its memory has to be mapped first, and the pieces
 * that were sent wait for the collection of garbage.
 */
export function lendBuffer(): LentBuffer {
  if (lentBuffers >= maxLentBuffers)
    return { buffer: Buffer.allocUnsafeSlow(smallBufferBytes), giveBack: () => undefined };
  lentBuffers += 1;
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
  return {
    buffer,
    giveBack: () => {
      lentBuffers -= 1;
      if (freeBuffers.length < maxFreeBuffers) freeBuffers.push(buffer);
    },
  };
}

/** Holds a response to a rate: it may send one second's worth at once, and then as much as time allows. */
export class Pace {
  readonly pieceBytes: number;
  readonly #bytesPerMs: number;
  readonly #startedAt = performance.now();
  #sent = 0;

  /** @param kbps thousands of bits a second */
  constructor(kbps: number) {
    this.#bytesPerMs = kbps / 8;
    this.pieceBytes = Math.max(minPacedBytes, Math.min(pieceBytes, Math.floor(this.#bytesPerMs * 250)));
  }

  /** Waits until so many more bytes may be sent. */
  async take(bytes: number): Promise<void> {
    this.#sent += bytes;
    const waitMs = this.#sent / this.#bytesPerMs - 1000 - (performance.now() - this.#startedAt);
    if (waitMs > 0) await pause(waitMs);
  }
}

/**
 * Sends the body of a response in pieces: the next is read when the connection has taken the one before. It ends early,
 * without an error, when the client goes away; one that takes too little is disconnected.
 * @param sent is told the bytes that the connection has taken
 * @throws what reading throws
 */
export async function sendBody(
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  pace: Pace | null,
  sent: (bytes: number) => void,
): Promise<void> {
  const reader = new ReaderPace();
  // Until the next request of the connection.
  response.socket?.setTimeout(maxStallMs);
  for await (const piece of pieces) {
    const step = pace?.pieceBytes ?? piece.byteLength;
    for (let at = 0; at < piece.byteLength; at += step) {
      const part = at === 0 && step >= piece.byteLength ? piece : piece.subarray(at, at + step);
      if (pace !== null) await pace.take(part.byteLength);
      const began = performance.now();
      if (response.destroyed || !(await written(response, part))) return;
      sent(part.byteLength);
      reader.took(part.byteLength, performance.now() - began);
      if (reader.isTooSlow) {
        response.destroy();
        return;
      }
    }
  }
  response.end();
}

/** Writes a piece; false if the client is gone. */
function written(response: ServerResponse, piece: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    // A response behind others of its connection gets no callback of its writes when the connection ends.
    const closed = (): void => resolve(false);
    response.once('close', closed);
    response.write(piece, (error) => {
      response.off('close', closed);
      resolve(error === null || error === undefined);
    });
  });
}

/** A buffer in pieces. */
export function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

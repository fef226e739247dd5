import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyLost, refuseLargeBody, tooLarge } from './body.ts';

/** Limits of a body that is read in pieces. */
export interface RawBodyLimits {
  maxBytes: number;
  /** Milliseconds without a byte after which the client counts as gone. */
  idleTimeoutMs: number;
}

/**
 * Yields a request's body as it arrives, and asks for it first where the client waits for `100 Continue`. Only one
 * piece is held: nothing more is read from the connection until the consumer asks for the next one. A consumer that
 * stops early leaves the rest unread, and the connection open for the answer.
 * @throws Refusal `payload_too_large` as soon as more than `maxBytes` are announced or have come; BodyLost where the
 *   client went away or sent nothing for too long
 */
export async function* readRawBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, idleTimeoutMs }: RawBodyLimits,
): AsyncGenerator<Buffer, void, undefined> {
  refuseLargeBody(request, maxBytes);
  if (request.destroyed) throw new BodyLost();
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  let bytes = 0;
  try {
    for (;;) {
      const chunk = await nextChunk(request, chunks, idleTimeoutMs);
      if (chunk === null) return;
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } finally {
    await chunks.return?.();
  }
}

/** The next piece; null at the end. Waiting is limited by the idle timeout, the consumer's own time is not. */
async function nextChunk(
  request: IncomingMessage,
  chunks: AsyncIterator<Buffer>,
  idleTimeoutMs: number,
): Promise<Buffer | null> {
  const timer = setTimeout(() => request.destroy(), idleTimeoutMs);
  try {
    const next = await chunks.next();
    return next.done === true ? null : next.value;
  } catch {
    throw new BodyLost();
  } finally {
    clearTimeout(timer);
  }
}

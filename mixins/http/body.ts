import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, invalid } from '../../models/errors.ts';
import { JsonBoundsCheck, type JsonBounds } from './json-bounds.ts';

/** Whether a request has a body (RFC 9112, 6: a length or a transfer coding announces one). */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Whether a Content-Type is JSON in UTF-8. Parameters other than charset change nothing (RFC 8259, 11). */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}

/** Whether a body is neither compressed nor in a transfer coding besides chunked. */
export function isPlain({ headers }: IncomingMessage): boolean {
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  return content.toLowerCase() === 'identity' && transfer.toLowerCase() === 'chunked';
}

/** Checks the announced length of a body, before any of it is read. @throws Refusal `payload_too_large` */
export function refuseLargeBody(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** The refusal of a body with more bytes than its limit. */
export function tooLarge(maxBytes: number): Refusal {
  return new Refusal('payload_too_large', { detail: `The body is larger than ${maxBytes} bytes.` });
}

/**
 * Limits the memory that large request bodies hold in a process. The first bytes of each body are not counted, so that
 * clients that send large bodies slowly cannot keep others from sending small ones.
 */
export class BodyBudget {
  private readonly maxBytes: number;
  private readonly freeBytes: number;
  private held = 0;

  /** @param maxBytes of all bodies together, without the first `freeBytes` of each */
  constructor(maxBytes: number, freeBytes: number) {
    this.maxBytes = maxBytes;
    this.freeBytes = freeBytes;
  }

  /** Counts the growth of a body. @throws Refusal `content_service_unavailable` if the budget is exceeded */
  grow(from: number, to: number): void {
    const more = this.counted(to) - this.counted(from);
    if (more > 0 && this.held + more > this.maxBytes)
      throw new Refusal('content_service_unavailable', {
        detail: 'Too many large requests at once; try again in a moment.',
        retryable: true,
        retryAfter: 1,
      });
    this.held += more;
  }

  /** Gives back the bytes of a body that is not needed any more. */
  release(bytes: number): void {
    this.held -= this.counted(bytes);
  }

  private counted(bytes: number): number {
    return Math.max(0, bytes - this.freeBytes);
  }
}

/** Limits of a JSON body that is read whole. */
export interface BodyLimits extends JsonBounds {
  maxBytes: number;
  /** Memory that all bodies share. The bytes of a body that was read are taken from it: release them after use. */
  budget: BodyBudget;
}

/**
 * Reads a JSON body whole, after sending `100 Continue` where the client waits for it.
 * @throws Refusal as soon as more than `maxBytes` (`payload_too_large`) or more than `maxValues` (`validation_error`)
 *   have arrived, or the budget is exceeded; BodyLost where the client went away
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, maxValues, budget }: BodyLimits,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const bounds = new JsonBoundsCheck({ maxValues });
  let bytes = 0;
  try {
    await consumeBody(request, response, (chunk) => {
      if (bytes + chunk.length > maxBytes) throw tooLarge(maxBytes);
      bounds.take(chunk);
      budget.grow(bytes, bytes + chunk.length);
      bytes += chunk.length;
      chunks.push(chunk);
    });
  } catch (error) {
    budget.release(bytes);
    throw error;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/**
 * Reads a body and discards it, after sending `100 Continue` where the client waits for it.
 * @throws Refusal `payload_too_large` as soon as more than `maxBytes` have arrived; BodyLost where the client went away
 */
export function discardBody(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<void> {
  let bytes = 0;
  return consumeBody(request, response, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
  });
}

/**
 * Whether a chunked body without a content type is empty, so that the request has none: a proxy that received a request
 * over HTTP/2 forwards it before it knows whether a body follows. The rest of a body that is not empty stays unread.
 * @throws BodyLost if the client went away
 */
export async function isEmptyBody(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { 'transfer-encoding': coding, 'content-type': type, expect } = request.headers;
  // A client that waits for 100 Continue has a body.
  if (coding === undefined || type !== undefined || expect !== undefined || !isPlain(request)) return false;
  try {
    await discardBody(request, response, 0);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Passes a body on as it arrives. @throws what `take` throws; BodyLost where the client went away, also before this */
function consumeBody(request: IncomingMessage, response: ServerResponse, take: (chunk: Buffer) => void): Promise<void> {
  // The events of a request that was destroyed while something else was awaited have been emitted already.
  if (request.destroyed) return Promise.reject(new BodyLost());
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  return new Promise((resolve, reject) => {
    const end = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
    };
    const onData = (chunk: Buffer): void => {
      try {
        take(chunk);
      } catch (error) {
        end();
        request.pause();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const onEnd = (): void => {
      end();
      resolve();
    };
    const onLost = (): void => {
      end();
      reject(new BodyLost());
    };
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}

/** The client went away, or was too slow, before its body was complete: there is nobody to respond to. */
export class BodyLost extends Error {
  constructor() {
    super('the request ended before its body');
    this.name = 'BodyLost';
  }
}

/** The position in V8's messages: "... at position 12 (line 1 column 13)", or "Unexpected end of JSON input". */
function notJson(message: string): string {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `The body is not JSON: character ${Number(position) + 1} does not belong there.`;
  return message.includes('end of JSON input') ? 'The body is not JSON: it ends too early.' : 'The body is not JSON.';
}

/**
 * The JSON value of a body. The last of duplicate keys wins, as in JSON.parse.
 * @throws Refusal `validation_error` at `body` for invalid UTF-8 or JSON
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid(['body'], 'The body is not UTF-8.');
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return value;
  } catch (error) {
    // Only a SyntaxError is expected; its message quotes the body, so only the position is passed on.
    throw error instanceof Error && error.name === 'SyntaxError' ? invalid(['body'], notJson(error.message)) : error;
  }
}

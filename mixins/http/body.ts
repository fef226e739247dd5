import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, invalid } from '../../models/errors.ts';
import type { BodyBudget } from './body-budget.ts';
import { JsonBoundsCheck, type JsonBounds } from './json-bounds.ts';

/** Whether a request comes with a body (RFC 9112, 6: a length or a transfer coding announces one). */
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

/** Whether a body comes as it is: neither compressed nor in a transfer coding besides chunks. */
export function isPlain({ headers }: IncomingMessage): boolean {
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  return content.toLowerCase() === 'identity' && transfer.toLowerCase() === 'chunked';
}

/** Refuses a body that announces itself as too large, before a byte of it is read. @throws Refusal */
export function refuseLargeBody(request: IncomingMessage, mostBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
}

function tooLarge(mostBytes: number): Refusal {
  return new Refusal('payload_too_large', { detail: `The body is larger than ${mostBytes} bytes.` });
}

/** What the body of a request may be at most. */
export interface BodyBounds extends JsonBounds {
  mostBytes: number;
  /** What all bodies together may hold. The bytes of a body that was read are taken from it: give them back. */
  budget: BodyBudget;
}

/**
 * Reads the whole text of a JSON body, asking for it first where the client waits to be asked.
 * @throws Refusal as soon as more than `mostBytes` (`payload_too_large`) or more than `mostValues` (`validation_error`)
 *   have come, or more than the budget has; BodyLost where the client went away
 */
export function readBody(request: IncomingMessage, response: ServerResponse, { mostBytes, mostValues, budget }: BodyBounds): Promise<Buffer> {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const bounds = new JsonBoundsCheck({ mostValues });
    let bytes = 0;
    let taken = 0;
    const end = (): void => {
      request.off('data', take).off('end', finish).off('error', lose).off('close', lose);
    };
    const refuse = (reason: Error): void => {
      end();
      budget.release(taken);
      request.pause();
      reject(reason);
    };
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > mostBytes) {
        refuse(tooLarge(mostBytes));
        return;
      }
      try {
        bounds.take(chunk);
        budget.grow(taken, bytes);
        taken = bytes;
        chunks.push(chunk);
      } catch (error) {
        refuse(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const finish = (): void => {
      end();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    };
    const lose = (): void => {
      end();
      budget.release(taken);
      reject(new BodyLost());
    };
    request.on('data', take).on('end', finish).on('error', lose).on('close', lose);
  });
}

/** The client went away, or was too slow, before its body was there: nobody waits for an answer. */
export class BodyLost extends Error {
  constructor() {
    super('the request ended before its body');
    this.name = 'BodyLost';
  }
}

/** Where the parser stopped, as V8 tells it: "... at position 12 (line 1 column 13)", or "Unexpected end of JSON input". */
function notJson(words: string): string {
  const position = / at position (\d+)/.exec(words)?.[1];
  if (position !== undefined) return `The body is not JSON: character ${Number(position) + 1} does not belong there.`;
  return words.includes('end of JSON input') ? 'The body is not JSON: it ends too early.' : 'The body is not JSON.';
}

/**
 * The JSON value of a body. Of a key that stands twice the last counts, as in JSON.parse.
 * @throws Refusal `validation_error` at `body` for invalid UTF-8 or JSON
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid(['body'], 'The body is not UTF-8.');
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return value;
  } catch (error) {
    // Only a SyntaxError can come from here; its words quote the body, so only the place in them is passed on.
    throw error instanceof Error && error.name === 'SyntaxError' ? invalid(['body'], notJson(error.message)) : error;
  }
}

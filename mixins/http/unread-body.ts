import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../models/errors.ts';
import { BodyLost, isPlain } from './body.ts';

/**
 * Reads past a body that nobody wants, piece by piece, asking for it first where the client waits to be asked.
 * @throws Refusal `payload_too_large` as soon as more than `mostBytes` have come; BodyLost where the client went away
 */
export async function readPast(request: IncomingMessage, response: ServerResponse, mostBytes: number): Promise<void> {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  await new Promise<void>((resolve, reject) => {
    let bytes = 0;
    const end = (): void => {
      request.off('data', count).off('end', finish).off('error', lose).off('close', lose);
    };
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= mostBytes) return;
      end();
      request.pause();
      reject(new Refusal('payload_too_large', { detail: `The body is larger than ${mostBytes} bytes.` }));
    };
    const finish = (): void => {
      end();
      resolve();
    };
    const lose = (): void => {
      end();
      reject(new BodyLost());
    };
    request.on('data', count).on('end', finish).on('error', lose).on('close', lose);
  });
}

/**
 * Whether a body that comes in chunks and does not tell its type holds nothing, so that it is none: a proxy that got a
 * request over HTTP/2 hands it on before it knows that there is no body. Of one that holds something the rest stays unread.
 * @throws BodyLost where the client went away
 */
export async function holdsNothing(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { 'transfer-encoding': coding, 'content-type': type, expect } = request.headers;
  // Who waits to be asked for a body has one.
  if (coding === undefined || type !== undefined || expect !== undefined || !isPlain(request)) return false;
  try {
    await readPast(request, response, 0);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

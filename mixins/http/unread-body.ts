import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../models/errors.ts';
import { BodyLost } from './body.ts';

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

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Allowance, Counters } from '../../adapters/counters/port.ts';
import type { Objects } from '../../adapters/objects/port.ts';
import type { AppContext } from '../app-context.ts';
import { BodyLost, hasBody } from '../http/body.ts';
import type { BegunPieces } from '../http/begun-pieces.ts';
import { sendBody } from '../http/response-body.ts';
import type { DoorCredential } from './door-credentials.ts';
import type { Answered } from './gateway-usage.ts';

/** The parts of the app that a door uses. */
export type DoorApp = Pick<
  AppContext,
  'records' | 'runtime' | 'configuration' | 'log' | 'sealer' | 'counters' | 'metrics' | 'listeners'
> & { objects: Objects };

/** A response of a door. */
export interface DoorReply {
  status: number;
  headers?: { readonly [name: string]: string };
  /** A text, or bytes that are sent as the client takes them. */
  body?: string | { bytes: number; pieces: BegunPieces };
}

/** Milliseconds in which a rate limit counts requests. */
const rateWindowMs = 60_000;
/** Milliseconds that a client that still sends its body has to read the response. */
const lingerMs = 2000;

/** A reply with XML. */
export function xmlReply(body: string, headers: DoorReply['headers'] = {}): DoorReply {
  return { status: 200, headers: { 'Content-Type': 'application/xml', ...headers }, body };
}

/** Counts a request towards what an organization may send to both doors in a minute. */
export function takeRequest(
  counters: Counters,
  { organizationId, requestsPerMinute }: Pick<DoorCredential, 'organizationId' | 'requestsPerMinute'>,
): Promise<Allowance> {
  return counters.take(`storage:${organizationId}`, requestsPerMinute, rateWindowMs);
}

/** Whether an error says that the client went away, which is no failure. */
export function isClientGone(error: unknown): boolean {
  return error instanceof BodyLost;
}

/**
 * Sends a response. A client that still sends its body may read it before the connection is closed.
 * @param headers all that are sent
 * @param answered gets the status and the bytes of the object
 */
export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body = '' }: Pick<DoorReply, 'status' | 'body'>,
  headers: { [name: string]: string },
  answered: Answered,
): Promise<void> {
  const unread = !request.complete && hasBody(request);
  if (unread && request.headers.expect !== undefined) headers['Connection'] = 'close';
  answered.status = status;
  const { 'Content-Length': length, ...others } = headers;
  // Node writes a Content-Disposition that follows the length in another encoding than the other headers.
  response.writeHead(status, length === undefined ? others : { ...others, 'Content-Length': length });
  if (unread) discardRest(request);
  if (request.method === 'HEAD' || status === 204 || status === 304) response.end();
  else if (typeof body === 'string') response.end(body);
  else await sendBody(response, body.pieces, null, (bytes) => void (answered.bytes += bytes));
}

/** Ends what a reply would have sent, because nobody takes it. */
export async function dropReply({ body }: DoorReply): Promise<void> {
  if (typeof body === 'object') await body.pieces.return();
}

/** Lets a client that still sends its body read the response, then closes the connection. */
function discardRest(request: IncomingMessage): void {
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, lingerMs).unref();
}

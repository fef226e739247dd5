import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Allowance } from '../../../adapters/counters/port.ts';
import type { Metrics } from '../../metrics.ts';
import { hasBody } from '../body.ts';
import { maxStallMs } from '../reader-pace.ts';
import type { Runtime } from '../../../models/runtime.ts';
import { errorCodes } from '../../../models/errors.ts';
import type { Failure } from './failures.ts';
import type { Identity } from './access.ts';
import type { Route } from './route.ts';
import type { FindRoute, Match, RouteHead } from './router.ts';

/** The state of one request. */
export interface Exchange<R extends RouteHead = Route, I extends { organizationId: string } = Identity> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The request target before its question mark, as sent. */
  readonly path: string;
  /** The request target after its question mark, as sent. */
  readonly search: string;
  readonly match: Match<R>;
  /** Of performance.now(). */
  readonly startedAt: number;
  /** Null before the client was authenticated. */
  identity: I | null;
  /** State of the rate limit; null before it was counted. */
  allowance: Allowance | null;
}

/** Any exchange, for what does not depend on its kind of route. */
export type AnyExchange = Exchange<RouteHead, { organizationId: string }>;

/** The request id of a client (printable ASCII, at most 128 characters), or a new one. */
function requestIdOf(request: IncomingMessage, runtime: Runtime): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[\x20-\x7e]{1,128}$/.test(sent) ? sent : runtime.uuid();
}

/** A request target without scheme and authority, which servers must accept (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const path = /^https?:\/\/[^/?]+(.*)$/i.exec(target)?.[1];
  if (path === undefined) return target;
  return path.startsWith('/') ? path : `/${path}`;
}

/** Reads what identifies a request, and finds its route. */
export function openExchange<R extends RouteHead, I extends { organizationId: string }>(
  request: IncomingMessage,
  response: ServerResponse,
  find: FindRoute<R>,
  runtime: Runtime,
): Exchange<R, I> {
  const target = originForm(request.url ?? '/');
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return {
    request,
    response,
    requestId: requestIdOf(request, runtime),
    path,
    search: mark < 0 ? '' : target.slice(mark + 1),
    match: find(request.method ?? 'GET', path),
    startedAt: performance.now(),
    identity: null,
    allowance: null,
  };
}

/** What the sending of responses needs of the process. */
export interface Sender {
  metrics: Metrics;
  /** Requests a minute where no plan applies; shown to clients whose organization is not known yet. */
  defaultLimit: number;
  /** Whether the process is stopping: connections are closed after their responses. */
  draining: () => boolean;
  /** Bodies of errors; JSON if omitted. */
  failureFormat?: FailureFormat;
  /** Headers of every response. */
  headers?: Headers;
}

/** Makes the body of an error. */
export type FailureFormat = (failure: Failure, requestId: string) => Pick<Reply, 'body' | 'type'>;

/** A response's body and what goes with it. */
export interface Reply {
  status: number;
  /** Text or bytes; empty for none. */
  body: string | Uint8Array;
  type?: string;
  headers?: Headers;
}

/** A response whose body is sent in pieces. */
export interface PiecewiseReply {
  status: number;
  type?: string;
  headers: Headers;
  /** Length of the body, where it is known; fewer or more bytes than this fail the response. */
  bytes?: number;
  pieces: () => AsyncIterable<Uint8Array>;
}

type Headers = { readonly [name: string]: string | number };

const noHeaders: Headers = {};
/** Headers of every response, whose values a response may replace. */
const replaceable = new Set(['Cache-Control', 'Content-Security-Policy']);
const contentPolicy = "default-src 'none'; frame-ancestors 'none'";
const jsonType = 'application/json; charset=utf-8';

/** Sends a response, once. Nothing is sent to a client that is gone. */
export function send(
  exchange: AnyExchange,
  sender: Sender,
  { status, body, type = jsonType, headers = noHeaders }: Reply,
): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  // 204 and 304 have no body; the length of 304 would be that of the representation (RFC 9110, 8.6).
  const lines = status === 204 || status === 304 ? [] : ['Content-Type', type, 'Content-Length', String(length)];
  if (begin(exchange, sender, status, lines, headers)) setImmediate(end, exchange.response, body, length);
}

/**
 * Measured: a response that is written at once lets the client run at once, between requests that arrived together.
 * Writing it when all of those have been handled takes a quarter less processor time.
 */
function end(response: ServerResponse, body: string | Uint8Array, length: number): void {
  // A text of as many bytes as characters is ASCII, which is copied without conversion.
  if (typeof body === 'string') response.end(body, body.length === length ? 'latin1' : 'utf8');
  else response.end(body);
}

/**
 * Sends a response in pieces, each when the client has taken those before. Of a HEAD request nothing is read. A failure
 * after the head was sent closes the connection.
 * @throws what the pieces throw; `ERR_STREAM_PREMATURE_CLOSE` where the client went away
 */
export async function sendPieces(
  exchange: AnyExchange,
  sender: Sender,
  { status, type = jsonType, headers, bytes, pieces }: PiecewiseReply,
): Promise<void> {
  const lines = ['Content-Type', type, ...(bytes === undefined ? [] : ['Content-Length', String(bytes)])];
  if (!begin(exchange, sender, status, lines, headers)) return;
  const { request, response } = exchange;
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.setTimeout(maxStallMs, () => {
    // A slow source is no fault of the client: only data that it does not take counts.
    if (response.writableNeedDrain) response.destroy();
  });
  await pipeline(bytes === undefined ? pieces() : exactly(bytes, pieces()), response);
}

/** Fails where there are fewer or more bytes than were announced, which the client could not see otherwise. */
async function* exactly(bytes: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const piece of pieces) {
    sent += piece.byteLength;
    if (sent > bytes) break;
    yield piece;
  }
  if (sent !== bytes) throw new Error(`a body of ${bytes} bytes was announced, and its source has another length`);
}

/**
 * Writes the head of a response: names and values in turn, which Node takes as they are.
 * @returns false if the client is gone, or the head was written before
 */
function begin(exchange: AnyExchange, sender: Sender, status: number, lines: string[], headers: Headers): boolean {
  const { request, response, match } = exchange;
  if (response.headersSent || response.destroyed) return false;
  lines.push('X-Request-Id', exchange.requestId, 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer');
  lines.push(
    'Cache-Control',
    String(headers['Cache-Control'] ?? 'no-store'),
    'Content-Security-Policy',
    String(headers['Content-Security-Policy'] ?? contentPolicy),
  );
  addRateHeaders(lines, exchange, sender);
  for (const name in sender.headers) lines.push(name, String(sender.headers[name]));
  for (const name in headers) if (!replaceable.has(name)) lines.push(name, String(headers[name]));
  const unread = !request.complete && hasBody(request);
  // A client that waits for 100 Continue may send its body or not: its connection cannot be used again.
  if (sender.draining() || (unread && request.headers.expect !== undefined)) lines.push('Connection', 'close');
  response.writeHead(status, lines);
  if (unread) discardRest(request);
  const route = match.kind === 'route' ? match.route.path : 'none';
  const seconds = (performance.now() - exchange.startedAt) / 1000;
  sender.metrics.requests.observe({ method: request.method ?? 'GET', route, status: String(status) }, seconds);
  sender.metrics.responses.inc({ class: `${Math.floor(status / 100)}xx` });
  const organization = exchange.identity?.organizationId;
  if (organization !== undefined && sender.metrics.watched.has(organization)) {
    sender.metrics.organizationRequests.observe(
      {
        organization,
        class: (match.kind === 'route' ? match.route.rate : undefined) ?? 'none',
        outcome: `${Math.floor(status / 100)}xx`,
      },
      seconds,
    );
  }
  return true;
}

function addRateHeaders(lines: string[], { allowance, path }: AnyExchange, { defaultLimit }: Sender): void {
  if (allowance === null && !path.startsWith('/api/')) return;
  const { limit, remaining, resetMs } = allowance ?? { limit: defaultLimit, remaining: defaultLimit, resetMs: 0 };
  lines.push(
    'RateLimit-Limit',
    String(limit),
    'RateLimit-Remaining',
    String(remaining),
    'RateLimit-Reset',
    String(Math.ceil(resetMs / 1000)),
  );
}

/** Lets a client that still sends its body read the response, then closes the connection. */
function discardRest(request: IncomingMessage): void {
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, 2000).unref();
}

/** The body of an error, with its fields in the documented order. */
export function jsonOf({ type, data }: Failure, requestId: string): Pick<Reply, 'body' | 'type'> {
  const { detail = errorCodes[type].meaning, fields, retryable } = data;
  const body = JSON.stringify({
    code: type,
    detail,
    ...(fields !== undefined ? { fields, field: fields.join('.') } : {}),
    ...(retryable === true ? { retryable: true } : {}),
    requestId,
  });
  return { body };
}

/** Sends an error. */
export function sendFailure(exchange: AnyExchange, sender: Sender, failure: Failure): void {
  const { retryAfter, allow } = failure.data;
  const headers: { [name: string]: string | number } = {};
  if (retryAfter !== undefined) headers['Retry-After'] = Math.max(1, Math.ceil(retryAfter));
  if (allow !== undefined) headers['Allow'] = allow.join(', ');
  if (failure.status === 401) headers['WWW-Authenticate'] = 'ApiKey';
  const format = sender.failureFormat ?? jsonOf;
  send(exchange, sender, { ...format(failure, exchange.requestId), status: failure.status, headers });
}

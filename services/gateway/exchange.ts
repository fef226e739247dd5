import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Allowance } from '../../adapters/counters/port.ts';
import type { Metrics } from '../../mixins/metrics.ts';
import { hasBody } from '../../mixins/http/body.ts';
import type { Ambient } from '../../models/ambient.ts';
import { errorCodes } from '../../models/errors.ts';
import type { Failure } from './failures.ts';
import type { Identity } from './access.ts';
import type { Match } from './router.ts';

/** One request on its way through the gateway. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The request target before its question mark, as sent. */
  readonly path: string;
  /** What follows the question mark, as sent. */
  readonly search: string;
  readonly match: Match;
  /** Of performance.now(). */
  readonly startedAt: number;
  /** Known once key and organization are checked. */
  identity: Identity | null;
  /** What the rate limiter said; null before it was asked. */
  allowance: Allowance | null;
}

/** The request id of a client (printable ASCII, at most 128 characters), or a new one. */
function requestIdOf(request: IncomingMessage, ambient: Ambient): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[\x20-\x7e]{1,128}$/.test(sent) ? sent : ambient.uuid();
}

/** A target without scheme and authority, which every server takes as well (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const path = /^https?:\/\/[^/?]+(.*)$/i.exec(target)?.[1];
  if (path === undefined) return target;
  return path.startsWith('/') ? path : `/${path}`;
}

/** Begins the handling of a request. */
export function openExchange(request: IncomingMessage, response: ServerResponse, find: (method: string, path: string) => Match, ambient: Ambient): Exchange {
  const target = originForm(request.url ?? '/');
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return {
    request,
    response,
    requestId: requestIdOf(request, ambient),
    path,
    search: mark < 0 ? '' : target.slice(mark + 1),
    match: find(request.method ?? 'GET', path),
    startedAt: performance.now(),
    identity: null,
    allowance: null,
  };
}

/** What a sender needs of the process. */
export interface Sender {
  metrics: Metrics;
  /** Requests a minute where no plan says; shown to clients whose organization is not known yet. */
  defaultLimit: number;
  /** Whether the process is stopping: connections are closed after their answers. */
  draining: () => boolean;
}

/** An answer's body and what goes with it. */
export interface Reply {
  status: number;
  /** Text or bytes; empty for none. */
  body: string | Uint8Array;
  type?: string;
  headers?: Headers;
}

/** How long a client may take nothing of an answer in pieces, in milliseconds. */
const idleMs = 30_000;

type Headers = { readonly [name: string]: string | number };

const noHeaders: Headers = {};
/** Headers that every answer has, with another value where an answer says one. */
const ofEachAnswer = new Set(['Cache-Control', 'Content-Security-Policy']);
const contentPolicy = "default-src 'none'; frame-ancestors 'none'";
const jsonType = 'application/json; charset=utf-8';

/** Sends an answer, once. Nothing is sent to a client that is gone. */
export function send(exchange: Exchange, sender: Sender, { status, body, type = jsonType, headers = noHeaders }: Reply): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  // 204 has neither a body nor a length of one (RFC 9110, 8.6).
  const lines = status === 204 ? [] : ['Content-Type', type, 'Content-Length', String(length)];
  if (begin(exchange, sender, status, lines, headers)) setImmediate(end, exchange.response, body, length);
}

/**
 * Measured: what was written at once would let the client run at once, in between of requests that came together. Written
 * when all of those have been looked at, an answer costs a quarter less of the processor.
 */
function end(response: ServerResponse, body: string | Uint8Array, length: number): void {
  // A text of as many bytes as characters is ASCII, which is copied as it is.
  if (typeof body === 'string') response.end(body, body.length === length ? 'latin1' : 'utf8');
  else response.end(body);
}

/** Sends JSON in pieces, each when the client has taken those before. A failure in the middle cuts the answer off. */
export async function sendPieces(exchange: Exchange, sender: Sender, { status, headers, pieces }: { status: number; headers: { [name: string]: string }; pieces: AsyncIterable<Uint8Array> }): Promise<void> {
  if (!begin(exchange, sender, status, ['Content-Type', jsonType], headers)) return;
  const { request, response } = exchange;
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.setTimeout(idleMs, () => response.destroy());
  await pipeline(pieces, response);
}

/**
 * Writes the head of an answer: names and values in turn, which Node takes as they are.
 * False where nobody is there to read it, or it was written before.
 */
function begin(exchange: Exchange, sender: Sender, status: number, lines: string[], headers: Headers): boolean {
  const { request, response, match } = exchange;
  if (response.headersSent || response.destroyed) return false;
  lines.push('X-Request-Id', exchange.requestId, 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer');
  lines.push('Cache-Control', String(headers['Cache-Control'] ?? 'no-store'), 'Content-Security-Policy', String(headers['Content-Security-Policy'] ?? contentPolicy));
  addRateHeaders(lines, exchange, sender);
  for (const name in headers) if (!ofEachAnswer.has(name)) lines.push(name, String(headers[name]));
  const unread = !request.complete && hasBody(request);
  // A client that waits to be asked for its body was never asked: its connection cannot be used again.
  if (sender.draining() || (unread && request.headers.expect !== undefined)) lines.push('Connection', 'close');
  response.writeHead(status, lines);
  if (unread) dropLater(request);
  const route = match.kind === 'route' ? match.route.path : 'none';
  const seconds = (performance.now() - exchange.startedAt) / 1000;
  sender.metrics.requests.observe({ method: request.method ?? 'GET', route, status: String(status) }, seconds);
  const organization = exchange.identity?.organizationId;
  if (organization !== undefined && sender.metrics.watched.has(organization)) {
    sender.metrics.organizationRequests.observe({ organization, class: match.kind === 'route' ? match.route.rate : 'none', outcome: `${Math.floor(status / 100)}xx` }, seconds);
  }
  return true;
}

function addRateHeaders(lines: string[], { allowance, path }: Exchange, { defaultLimit }: Sender): void {
  if (allowance === null && !path.startsWith('/api/')) return;
  const { limit, remaining, resetMs } = allowance ?? { limit: defaultLimit, remaining: defaultLimit, resetMs: 0 };
  lines.push('RateLimit-Limit', String(limit), 'RateLimit-Remaining', String(remaining), 'RateLimit-Reset', String(Math.ceil(resetMs / 1000)));
}

/** Gives a client a moment to see its answer while it still sends a body that nobody wants, then hangs up. */
function dropLater(request: IncomingMessage): void {
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, 2000).unref();
}

/** The body of an error, with its fields in the documented order. */
function errorBody({ type, data }: Failure, requestId: string): string {
  const { detail = errorCodes[type].meaning, fields, retryable } = data;
  return JSON.stringify({
    code: type,
    detail,
    ...(type === 'validation_error' && fields !== undefined ? { fields, field: fields.join('.') } : {}),
    ...(retryable === true ? { retryable: true } : {}),
    requestId,
  });
}

/** Sends an error. */
export function sendFailure(exchange: Exchange, sender: Sender, failure: Failure): void {
  const { retryAfter, allow } = failure.data;
  const headers: { [name: string]: string | number } = {};
  if (retryAfter !== undefined) headers['Retry-After'] = Math.max(1, Math.ceil(retryAfter));
  if (allow !== undefined) headers['Allow'] = allow.join(', ');
  if (failure.status === 401) headers['WWW-Authenticate'] = 'ApiKey';
  send(exchange, sender, { status: failure.status, body: errorBody(failure, exchange.requestId), headers });
}

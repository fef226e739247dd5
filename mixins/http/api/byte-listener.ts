import type { IncomingMessage } from 'node:http';
import { errorCodeOf } from '../../../models/error-code.ts';
import { Refusal, type ErrorCode } from '../../../models/errors.ts';
import { workingFor } from '../../work-context.ts';
import { endFailed, senderOf, type ApiContext } from './api.ts';
import type { ByteExchange, ByteRoute } from './byte-route.ts';
import { sendContent } from './content.ts';
import { failureOf } from './failures.ts';
import { jsonOf, openExchange, send, type FailureFormat, type Sender } from './exchange.ts';
import type { Method } from './route.ts';
import { compileRoutes } from './router.ts';
import { beginTrace, endTrace } from './traces.ts';

/** What of the app context a listener of bytes needs. */
export type ByteContext = Pick<
  ApiContext,
  'configuration' | 'runtime' | 'log' | 'metrics' | 'tracing' | 'lifecycle' | 'listeners'
>;

/** A listener of byte routes. */
export interface ByteListenerOptions<I extends { organizationId: string }> {
  /** Unique within the process. */
  name: string;
  host: string;
  /** 0 takes a free port. */
  port: number;
  routes: readonly ByteRoute<I>[];
  /** Who sends the request, whether or not a route matches. @throws Refusal */
  authenticate: (exchange: ByteExchange<I>) => Promise<I>;
  /** Bodies of errors; JSON as of the API if omitted. */
  failureFormat?: FailureFormat;
  /** Whether pages of every origin may send requests, with these methods and any header. */
  origins?: { methods: readonly Method[] };
  /** The refusal of a request whose Content-Length or transfer coding cannot be read; without a body if omitted. */
  badLength?: ErrorCode;
}

/** Codes of the parser for lengths that it cannot read (https://github.com/nodejs/llhttp). */
const lengthFaults: ReadonlySet<string> = new Set([
  'HPE_INVALID_CONTENT_LENGTH',
  'HPE_UNEXPECTED_CONTENT_LENGTH',
  'HPE_INVALID_TRANSFER_ENCODING',
]);

/** Headers of responses that pages of every origin may read (https://fetch.spec.whatwg.org/#http-cors-protocol). */
const readableByAll = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' };
/** How long browsers may keep the answer to a preflight request, in seconds. */
const preflightSeconds = 7200;

/** The headers of the answer to a preflight request. The named headers are allowed: `*` would leave one out. */
function preflightHeaders({ headers }: IncomingMessage, methods: readonly Method[]): { [name: string]: string } {
  const asked = headers['access-control-request-headers'];
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': asked === undefined || asked === '' ? '*' : asked,
    'Access-Control-Max-Age': String(preflightSeconds),
  };
}

/**
 * Adds a listener of byte routes to the process: it starts and stops with the lifecycle, and its stop waits for open
 * transfers. There is no timeout for a whole request, only for idle clients.
 */
export function addByteListener<I extends { organizationId: string }>(
  app: ByteContext,
  { name, host, port, routes, authenticate, failureFormat, origins, badLength }: ByteListenerOptions<I>,
): void {
  const sender: Sender = {
    ...senderOf(app),
    ...(failureFormat === undefined ? {} : { failureFormat }),
    ...(origins === undefined ? {} : { headers: readableByAll }),
  };
  const find = compileRoutes(routes);

  const respond = async (exchange: ByteExchange<I>): Promise<void> => {
    if (origins !== undefined && exchange.request.method === 'OPTIONS') {
      send(exchange, sender, { status: 204, body: '', headers: preflightHeaders(exchange.request, origins.methods) });
      return;
    }
    const identity = await authenticate(exchange);
    exchange.identity = identity;
    const { match } = exchange;
    if (match.kind === 'method') throw new Refusal('method_not_allowed', { allow: match.allow });
    if (match.kind !== 'route') throw new Refusal('not_found');
    const reply = await match.route.serve(exchange, match.params, identity);
    if ('read' in reply) await sendContent(exchange, sender, reply);
    else send(exchange, sender, reply);
  };

  const serve = async (exchange: ByteExchange<I>): Promise<void> => {
    const { requestId } = exchange;
    const span = app.tracing.isOn ? beginTrace(app.tracing, exchange) : null;
    try {
      await workingFor(span === null ? { requestId } : { requestId, span }, () => respond(exchange));
    } catch (error) {
      // A client that aborts a download is no failure.
      if (errorCodeOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') endFailed(app, sender, exchange, error);
    } finally {
      if (span !== null) endTrace(span, exchange);
    }
  };

  const listener = app.listeners.add({
    name,
    host,
    port,
    requestTimeout: 0,
    describeBadRequest: (code) => {
      if (badLength === undefined || !lengthFaults.has(code)) return null;
      const requestId = app.runtime.uuid();
      const { body } = (failureFormat ?? jsonOf)(failureOf(new Refusal(badLength)), requestId);
      const headers = {
        ...(origins === undefined ? {} : readableByAll),
        'X-Request-Id': requestId,
        'Content-Type': 'application/json; charset=utf-8',
      };
      return { headers, body: String(body) };
    },
    handle: (request, response) => {
      void listener.track(serve(openExchange<ByteRoute<I>, I>(request, response, find, app.runtime)));
    },
  });
  app.lifecycle.add({
    name,
    start: async () => {
      await listener.start();
    },
    stop: (timeoutMs) => listener.stop(timeoutMs),
  });
}

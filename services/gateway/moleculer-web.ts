import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'moleculer';
import type { Exchange } from '../../mixins/http/api/exchange.ts';
import type { Route } from '../../mixins/http/api/route.ts';
import { notificationsPath } from '../../models/connector.ts';
import { entryPaths } from './dashboard-session.ts';
import { mcpPath } from './mcp/serve.ts';
import { isNotification } from './notifications.ts';

/** A handler of moleculer-web's aliases. It responds itself, or calls `next` with an error. */
export type AliasHandler = (request: WebRequest, response: ServerResponse, next: (error: unknown) => void) => void;
/** Aliases by `METHOD /path`. */
export type Aliases = { [methodAndPath: string]: AliasHandler };

/** A request with what moleculer-web documents of it, and its exchange. */
export interface WebRequest extends IncomingMessage {
  $ctx: Context;
  $route: unknown;
  [exchangeKey]?: Exchange;
}

const exchangeKey = Symbol('exchange');

/** The alias of requests that no route matches: authentication and the rate limit come before 404 and 405. */
export const unmatchedPath = '/';

/** Options of every moleculer-web route: aliases only, nothing parsed, merged or added by moleculer-web. */
export const routeDefaults = {
  path: '/',
  mappingPolicy: 'restrict',
  mergeParams: false,
  bodyParsers: false,
  cors: null,
  etag: false,
  logging: false,
} as const;

/** The aliases of the route table. GET routes also serve HEAD (RFC 9110, 9.3.2). */
export function aliasesOf(table: readonly Route[], handlerOf: (row: Route) => AliasHandler): Aliases {
  const aliases: Aliases = {};
  for (const row of table) {
    const path = row.path.replace(/\{(\w+)\}/g, ':$1');
    const serve = handlerOf(row);
    aliases[`${row.method} ${path}`] = serve;
    if (row.method === 'GET') aliases[`HEAD ${path}`] = serve;
  }
  return aliases;
}

/**
 * The path that moleculer-web finds the alias by. moleculer-web ignores a trailing slash and letter case, does not
 * decode literal segments, and matches OPTIONS as the method of `Access-Control-Request-Method`. So the router decides,
 * and moleculer-web gets the path of the route that it found, without a query.
 */
function pathForWeb(exchange: Exchange, isPage: boolean): string {
  const { match, path } = exchange;
  if (isPage) return path;
  if (isNotification(exchange)) return notificationsPath;
  if (entryPaths.includes(path) || path === mcpPath) return path;
  if (match.kind !== 'route') return unmatchedPath;
  if (!path.includes('%')) return path;
  return match.route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(match.params[name] ?? ''));
}

/** Attaches the exchange to its request, and sets the path that moleculer-web finds the alias by. */
export function attachExchange(exchange: Exchange, isPage: boolean): void {
  Object.assign(exchange.request, { [exchangeKey]: exchange, url: pathForWeb(exchange, isPage) });
}

/** The exchange of a request of moleculer-web. */
export function exchangeOf(request: WebRequest): Exchange {
  const exchange = request[exchangeKey];
  if (exchange === undefined) throw new Error('a request did not come through the listener');
  return exchange;
}

/** moleculer-web's handler of requests in middleware mode. */
export type WebMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/** The methods of moleculer-web that are called here, and those that its routes rely on. */
export interface WebService {
  express: () => WebMiddleware;
  sendError: (request: IncomingMessage, response: ServerResponse, error: unknown) => void;
}

/** @throws Error where moleculer-web would skip the authentication: it only logs a missing method */
export function middlewareOf(service: object): WebMiddleware {
  if (!isWebService(service)) throw new Error('the gateway needs express, sendError, authenticate and authorize');
  return service.express();
}

function isWebService(service: object): service is WebService {
  const methods: { readonly [name: string]: unknown } = Object.fromEntries(Object.entries(service));
  return ['express', 'sendError', 'authenticate', 'authorize'].every((name) => typeof methods[name] === 'function');
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { tellAll } from '../../mixins/events.ts';
import { BodyBudget } from '../../mixins/http/body-budget.ts';
import { createListener } from '../../mixins/http/listener.ts';
import { AccessControl } from './access.ts';
import { openExchange, sendFailure, type Exchange } from './exchange.ts';
import { failureOf } from './failures.ts';
import { IdempotentRequests } from './idempotency.ts';
import { authenticate, authorize, handle, type Gateway, type GatewayHouse } from './pipeline.ts';
import { publicPages, type Readiness } from './public.ts';
import { compileRoutes } from './router.ts';
import { routeTable } from './table.ts';

/** The gateway's service, and where it listens. */
export interface GatewayService {
  schema: ServiceSchema;
  /** Address of the API without a slash at its end; null until it listens. */
  url: () => string | null;
}

type Next = (error?: unknown) => void;
type Handler = (request: IncomingMessage, response: ServerResponse, next: Next) => void;
/** A route or alias of moleculer-web as far as it is looked at here. */
interface WebAlias {
  handler: Handler;
  route: { authentication?: unknown; authorization?: unknown };
}

const sweepEvery = 60_000;
/** Room for eight bodies of the largest size; small ones need none. */
function bodyBudget(mostBytes: number): BodyBudget {
  return new BodyBudget(8 * mostBytes, Math.min(65_536, mostBytes / 2));
}


/**
 * The API's door. moleculer-web carries the request through its phases (authentication, authorization, handling) as
 * an action, so that calls are traced and counted as any other; which route a request has, what is checked in which
 * order and every answer are made here. Its own listener, parsers, rate limits, static files, and the actions that
 * show or change routes are off.
 */
export function gatewayService(house: GatewayHouse, readiness: () => Promise<Readiness>): GatewayService {
  const draining = (): boolean => house.lifecycle.draining;
  const sender = { metrics: house.metrics, defaultLimit: house.configuration.PLY_REQUESTS_PER_MINUTE, draining };
  const now = (): number => performance.now();
  let tellOfChange = (): void => undefined;
  const gateway: Gateway = { house, sender, access: new AccessControl(now), idempotent: new IdempotentRequests(house.records, house.ambient), bodies: bodyBudget(house.configuration.PLY_MAX_BODY_BYTES), tellOfChange: () => tellOfChange() };
  const find = compileRoutes(routeTable);
  const pages = publicPages(readiness);

  const handlers: { api: Handler; pages: Handler } = {
    api: (request, _response, next) => {
      handle(gateway, exchangeOf(request), contextOf(request)).catch(next);
    },
    pages: (request, _response, next) => {
      pages.serve(exchangeOf(request), sender).catch(next);
    },
  };
  const aliases: { api?: WebAlias; pages?: WebAlias } = {};
  let web: WebService | null = null;
  const webOf = (): WebService => {
    if (web === null) throw new Error('the gateway was used before it was created');
    return web;
  };

  let url: string | null = null;

  const settings = {
    // The listener is ours: moleculer-web would end the process when its port is taken.
    server: false,
    logRequest: null,
    logResponse: null,
    logRequestParams: null,
    logRouteRegistration: null,
    rootCallOptions: (options: { requestID?: string; timeout?: number }, request: IncomingMessage) => {
      const { match, requestId } = exchangeOf(request);
      options.requestID = requestId;
      // A long answer takes as long as its client reads; one that reads nothing is hung up on.
      if (match.kind === 'route' && match.route.isStored) options.timeout = 0;
    },
    routes: [
      { name: 'pages', path: '/', ...hardened, aliases: { 'GET /*page': handlers.pages } },
      { name: 'api', path: '/', ...hardened, authentication: 'authenticate', authorization: 'authorize', aliases: { '* /*operation': handlers.api } },
    ],
    $secureSettings: ['routes', 'rootCallOptions'],
  };
  const schema: ServiceSchema = {
    name: 'gateway',
    mixins: [ApiGateway],
    settings,
    actions: {
      addRoute: false,
      removeRoute: false,
      listAliases: false,
      rest: {
        visibility: 'private',
        handler(context: Context<{ req: WebRequest; res: ServerResponse }>) {
          const { req, res } = context.params;
          const exchange = exchangeOf(req);
          req.$ctx = context;
          req.originalUrl = req.url ?? '/';
          req.parsedUrl = exchange.path;
          req.query = {};
          const alias = pages.has(exchange.path) ? aliases.pages : aliases.api;
          return webOf().routeHandler(context, alias?.route, req, res, { alias, params: {} });
        },
      },
    },
    methods: {
      authenticate: (_context: Context, _route: unknown, request: IncomingMessage) => authenticate(gateway, exchangeOf(request), contextOf(request)),
      authorize: (_context: Context, _route: unknown, request: IncomingMessage) => authorize(exchangeOf(request)),
      // Only the look-up above finds aliases.
      resolveAlias: () => false,
      errorHandler: (request: IncomingMessage, response: ServerResponse, error: unknown) => {
        const exchange = exchangeOf(request);
        if (error instanceof Error && error.name === 'BodyLost') {
          // The listener has answered a slow client (408), and nobody is there to answer another.
          house.log.debug({ requestId: exchange.requestId, method: request.method, path: exchange.path }, 'a request ended before its body');
          return;
        }
        const failure = failureOf(error);
        if (failure.internal) house.log.error({ err: error, requestId: exchange.requestId, method: request.method, path: exchange.path }, 'a request failed');
        if (response.headersSent) response.destroy();
        else sendFailure(exchange, sender, failure);
      },
      reformatError: (error: unknown) => ({ code: failureOf(error).type }),
    },
    events: {
      'accounts.changed': () => gateway.access.forgetOrganizations(),
    },
    created() {
      const { broker } = this;
      tellOfChange = () => tellAll(broker, 'accounts.changed', {});
      // Its methods are bound to the service.
      web = webServiceOf(this);
      for (const name of ['api', 'pages'] as const) {
        const alias = webOf().aliases.find(({ handler }) => handler === handlers[name]);
        if (alias === undefined) throw new Error(`moleculer-web has no alias for ${name}`);
        // It is written to a debug log that nobody reads, for each request.
        alias.toString = () => name;
        aliases[name] = alias;
      }
      const { authentication, authorization } = aliases.api?.route ?? {};
      if (typeof authentication !== 'function' || typeof authorization !== 'function') throw new Error('the API would be open: moleculer-web found no authentication');
      const listener = createListener({
        host: house.configuration.PLY_HOST,
        port: house.configuration.PLY_API_PORT,
        handle: (request, response) => {
          const exchange = openExchange(request, response, find, house.ambient);
          carry(request, exchange);
          webOf().httpHandler(request, response).catch((error: unknown) => {
            house.log.error({ err: error, requestId: exchange.requestId }, 'a failure could not be answered');
            response.destroy();
          });
        },
      });
      let sweeping: NodeJS.Timeout | undefined;
      house.lifecycle.add({
        name: 'gateway',
        start: async () => {
          const address = await listener.start();
          sweeping = setInterval(() => {
            gateway.idempotent.sweep().catch((error: unknown) => house.log.warn({ err: error }, 'old idempotency keys could not be removed'));
          }, sweepEvery);
          url = addressOf(address);
        },
        stop: async (milliseconds) => {
          clearInterval(sweeping);
          await listener.stop(milliseconds);
        },
      });
    },
  };
  return { schema, url: () => url };
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Options of every route of moleculer-web: nothing but its one alias, nothing read or merged for us. */
const hardened = { mappingPolicy: 'restrict', mergeParams: false, bodyParsers: false, cors: null, etag: false, logging: false } as const;

/** What of moleculer-web's methods is used here. */
interface WebService {
  aliases: WebAlias[];
  routeHandler: (context: Context, route: unknown, request: IncomingMessage, response: ServerResponse, found: { alias: WebAlias | undefined; params: object }) => Promise<unknown>;
  httpHandler: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

function isWebService(service: object): service is WebService {
  return 'aliases' in service && Array.isArray(service.aliases) && 'routeHandler' in service && 'httpHandler' in service;
}

function webServiceOf(service: object): WebService {
  if (!isWebService(service)) throw new Error('moleculer-web lacks what the gateway builds on');
  return service;
}

/** What moleculer-web keeps on a request, and what we add. A weak map instead costs more than the checks. */
interface WebRequest extends IncomingMessage {
  $ctx?: Context;
  originalUrl: string;
  parsedUrl: string;
  query: { [name: string]: string };
  [carried]?: Exchange;
}

const carried = Symbol('exchange');

function carry(request: IncomingMessage & { [carried]?: Exchange }, exchange: Exchange): void {
  request[carried] = exchange;
}

function exchangeOf(request: IncomingMessage & { [carried]?: Exchange }): Exchange {
  const exchange = request[carried];
  if (exchange === undefined) throw new Error('a request came past the listener');
  return exchange;
}

function contextOf(request: IncomingMessage & { $ctx?: Context }): Context {
  if (request.$ctx === undefined) throw new Error('a request was handled outside its action');
  return request.$ctx;
}

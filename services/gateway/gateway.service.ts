import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Context, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { tellAll } from '../../mixins/events.ts';
import { BodyBudget } from '../../mixins/http/body-budget.ts';
import { createListener } from '../../mixins/http/listener.ts';
import type { Span } from '../../mixins/tracing.ts';
import { workingFor } from '../../mixins/work-context.ts';
import { requestsFirst } from '../../models/requests-first.ts';
import { AccessControl } from './access.ts';
import { openExchange, sendFailure, type Exchange } from './exchange.ts';
import { failureOf } from './failures.ts';
import { IdempotentRequests } from './idempotency.ts';
import { isNotification, serveNotification } from './notifications.ts';
import { serve, type Gateway, type GatewayHouse } from './pipeline.ts';
import { publicPages, type Readiness } from './public.ts';
import { compileRoutes } from './router.ts';
import { senderAddresses } from './sender-address.ts';
import { isLater } from './soon.ts';
import { routeTable } from './table.ts';
import { beginTrace, endTrace } from './traces.ts';

/** The gateway's service, and where it listens. */
export interface GatewayService {
  schema: ServiceSchema;
  /** Address of the API without a slash at its end; null until it listens. */
  url: () => string | null;
}

type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
/** An alias of moleculer-web as far as it is looked at here. */
interface WebAlias {
  handler: Handler;
  route: unknown;
}

const sweepEvery = 60_000;
/** Room for eight bodies of the largest size; small ones need none. */
function bodyBudget(mostBytes: number): BodyBudget {
  return new BodyBudget(8 * mostBytes, Math.min(65_536, mostBytes / 2));
}

/**
 * The API's door. moleculer-web is its service: it serves the pages that need no key. Requests of the API go past its
 * routes, through the checks and the action of their row of the table, in one function: moleculer-web's way to an
 * action (a call of its own, closures, listeners and timers for each request) costs more than all of those. Its
 * listener, parsers, rate limits, static files, and the actions that show or change routes are off.
 */
export function gatewayService(house: GatewayHouse, readiness: () => Promise<Readiness>): GatewayService {
  const sender = { metrics: house.metrics, defaultLimit: house.configuration.PLY_REQUESTS_PER_MINUTE, draining: () => house.lifecycle.draining };
  const find = compileRoutes(routeTable);
  const pages = publicPages(readiness);
  const access = new AccessControl(() => performance.now());
  const senderOf = senderAddresses(house.configuration.PLY_TRUSTED_PROXIES);
  const servePage: Handler = (request, _response, next) => {
    pages.serve(exchangeOf(request), sender).catch(next);
  };

  const failed = (exchange: Exchange, error: unknown): void => {
    const { requestId, request, response, path } = exchange;
    if (error instanceof Error && error.name === 'BodyLost') {
      // The listener has answered a slow client (408), and nobody is there to answer another.
      house.log.debug({ requestId, method: request.method, path }, 'a request ended before its body');
      return;
    }
    const failure = failureOf(error);
    if (failure.internal) house.log.error({ err: error, requestId, method: request.method, path }, 'a request failed');
    if (response.headersSent) response.destroy();
    else sendFailure(exchange, sender, failure);
  };

  const settings = {
    // The listener is ours: moleculer-web would end the process when its port is taken.
    server: false,
    logRequest: null,
    logResponse: null,
    logRequestParams: null,
    logRouteRegistration: null,
    rootCallOptions: (options: { requestID?: string }, request: IncomingMessage) => {
      options.requestID = exchangeOf(request).requestId;
    },
    routes: [{ name: 'pages', path: '/', ...hardened, aliases: { 'GET /*page': servePage } }],
    $secureSettings: ['routes', 'rootCallOptions'],
  };
  let url: string | null = null;
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
          req.$ctx = context;
          req.originalUrl = req.url ?? '/';
          req.parsedUrl = exchangeOf(req).path;
          req.query = {};
          const web = webServiceOf(context.service ?? {});
          const alias = web.aliases.find(({ handler }) => handler === servePage);
          if (alias === undefined) throw new Error('moleculer-web has no alias for the pages');
          return web.routeHandler(context, alias.route, req, res, { alias, params: {} });
        },
      },
    },
    methods: {
      // Only the look-up above finds aliases.
      resolveAlias: () => false,
      errorHandler: (request: IncomingMessage, _response: ServerResponse, error: unknown) => failed(exchangeOf(request), error),
      reformatError: (error: unknown) => ({ code: failureOf(error).type }),
    },
    events: {
      'accounts.changed': () => access.forgetOrganizations(),
    },
    created() {
      const { broker } = this;
      // Its methods are bound to the service.
      const web = webServiceOf(this);
      const gateway: Gateway = {
        house, sender, actions: broker, access,
        // The embedded records are one process's: nobody else has the folder.
        idempotent: new IdempotentRequests(house.records, house.ambient, { id: broker.nodeID, isAlone: house.configuration.PLY_MONGO_URL === null }),
        bodies: bodyBudget(house.configuration.PLY_MAX_BODY_BYTES), tellOfChange: () => tellAll(broker, 'accounts.changed', {}),
      };
      // Work goes on for clients that went away: the stores stay open until it has ended.
      let underWay = 0;
      const listener = createListener({
        host: house.configuration.PLY_HOST,
        port: house.configuration.PLY_API_PORT,
        handle: (request, response) => {
          const exchange = openExchange(request, response, find, house.ambient);
          if (pages.has(exchange.path)) {
            carry(request, exchange);
            web.httpHandler(request, response).catch((error: unknown) => failed(exchange, error));
            return;
          }
          underWay += 1;
          requestsFirst.began();
          const { requestId } = exchange;
          const span = house.tracing.isOn ? beginTrace(house.tracing, exchange) : null;
          workingFor(span === null ? { requestId } : { requestId, span }, () => handle(exchange, span));
        },
      });
      const handle = (exchange: Exchange, span: Span | null): void => {
        const ended = (_answered?: void): void => {
          underWay -= 1;
          requestsFirst.ended();
          if (span !== null) endTrace(span, exchange);
        };
        try {
          const done = isNotification(exchange) ? serveNotification(gateway, exchange, senderOf) : serve(gateway, exchange);
          if (isLater(done)) done.then(ended, (error: unknown) => ended(failed(exchange, error)));
          else ended();
        } catch (error) {
          ended(failed(exchange, error));
        }
      };
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
          const until = performance.now() + milliseconds;
          await listener.stop(milliseconds);
          while (underWay > 0 && performance.now() < until) await pause(20);
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

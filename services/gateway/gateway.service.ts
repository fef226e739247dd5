import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Service, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { broadcastEvent } from '../../mixins/events.ts';
import { authorizeRoute, identify, limitRate, refuseMisplacedKeys } from '../../mixins/http/api/admission.ts';
import { createApi, endFailed, senderOf, type Api, type ApiContext } from '../../mixins/http/api/api.ts';
import { openExchange, type Exchange } from '../../mixins/http/api/exchange.ts';
import { failureOf } from '../../mixins/http/api/failures.ts';
import type { KeptAnswer } from '../../mixins/http/api/idempotency.ts';
import { serveOperation } from '../../mixins/http/api/operation.ts';
import type { Route } from '../../mixins/http/api/route.ts';
import { compileRoutes } from '../../mixins/http/api/router.ts';
import { senderAddresses } from '../../mixins/http/api/sender-address.ts';
import { beginTrace, endTrace } from '../../mixins/http/api/traces.ts';
import type { Listener } from '../../mixins/http/listener.ts';
import { workingFor } from '../../mixins/work-context.ts';
import { notificationsPath } from '../../models/connector.ts';
import { Refusal } from '../../models/errors.ts';
import { requestsFirst } from '../../models/requests-first.ts';
import {
  aliasesOf,
  attachExchange,
  exchangeOf,
  middlewareOf,
  routeDefaults,
  unmatchedPath,
  type AliasHandler,
  type WebMiddleware,
  type WebRequest,
  type WebService,
} from './moleculer-web.ts';
import { dashboardFiles } from './dashboard-files.ts';
import { entryPaths, serveDashboardSession } from './dashboard-session.ts';
import { mcpPath, serveMcp } from './mcp/serve.ts';
import { serveNotification } from './notifications.ts';
import { publicPages, type Readiness } from './public.ts';
import { dashboardOnly } from './routes/paths.ts';
import { SearchShare } from './search-share.ts';
import { routeTable } from './table.ts';

const sweepIntervalMs = 60_000;
/** Refuses what is too much. One object for all: a new error with its stack would cost more than the rest of the refusal. */
const tooMany = new Refusal('content_service_unavailable', {
  detail: 'More requests are in progress than can be answered in time; try again after `Retry-After`.',
  retryable: true,
  retryAfter: 1,
  isShed: true,
});

/**
 * The API gateway: moleculer-web with one alias for each row of the route table. The listener belongs to the chassis,
 * so that a taken port does not end the process and an open connection does not delay its stop.
 * @param readiness what `GET /health/ready` answers
 */
export function gatewayService(app: ApiContext, readiness: () => Promise<Readiness>): ServiceSchema {
  const sender = senderOf(app);
  const find = compileRoutes(routeTable, dashboardOnly);
  const pages = publicPages(readiness);
  const dashboard = dashboardFiles(app.configuration);
  const addressOf = senderAddresses(app.configuration.PLY_TRUSTED_PROXIES);
  /** Made when the service is created. */
  let api: Api;
  let listener: Listener;
  let inProgress = 0;
  let searches: SearchShare;

  const failed = (exchange: Exchange, error: unknown): void => endFailed(app, sender, exchange, error);

  /** Counts work as in flight. moleculer-web ignores errors after the client has gone, so they are handled here. */
  const track = <T>(exchange: Exchange, work: Promise<T>): Promise<T> => {
    work.catch((error: unknown) => {
      if (exchange.response.closed) failed(exchange, error);
    });
    return listener.track(work);
  };

  const handler =
    (serve: (exchange: Exchange, request: WebRequest, response: ServerResponse) => Promise<void>): AliasHandler =>
    (request, response, next) => {
      const exchange = exchangeOf(request);
      track(exchange, serve(exchange, request, response)).catch(next);
    };

  const onError = (request: WebRequest, _response: ServerResponse, error: unknown): void =>
    failed(exchangeOf(request), error);

  const apiRoute = {
    ...routeDefaults,
    name: 'api',
    authentication: true,
    authorization: true,
    onBeforeCall(context: Context, _route: unknown, request: WebRequest): void {
      const exchange = exchangeOf(request);
      context.requestID = exchange.requestId;
      refuseMisplacedKeys(exchange);
    },
    /** Makes the response of an action's output. Other gateways are notified of changed sub-organizations first. */
    onAfterCall(
      _context: Context,
      _route: unknown,
      request: WebRequest,
      _response: ServerResponse,
      output: unknown,
    ): KeptAnswer {
      const route = routeOf(exchangeOf(request));
      if (route.scope === 'admin' && route.method !== 'GET') {
        api.access.forgetOrganizations();
        api.accountsChanged();
      }
      return {
        status: route.status,
        body: output === undefined || output === null ? '' : JSON.stringify(output),
      };
    },
    onError,
  };

  /** Handles the requests of one row. moleculer-web runs onAfterCall only for aliases whose action it calls itself. */
  const operationHandler = (row: Route): AliasHandler =>
    handler((exchange, request, response) => {
      const { match, identity } = exchange;
      if (match.kind !== 'route' || match.route !== row || identity === null)
        throw new Error(`${row.method} ${row.path} was reached by another path`);
      const afterCall = (output: unknown): KeptAnswer =>
        apiRoute.onAfterCall(request.$ctx, request.$route, request, response, output);
      return serveOperation(api, { exchange, identity, route: row, params: match.params, afterCall });
    });

  const settings = {
    server: false,
    logRequest: null,
    logResponse: null,
    logRequestParams: null,
    logRouteRegistration: null,
    // Without one moleculer-web sets no header: request ids are checked and sent by the chassis (see onBeforeCall).
    rootCallOptions: (options: { requestID?: string }): void => {
      options.requestID = '';
    },
    routes: [
      {
        ...routeDefaults,
        name: 'public',
        onError,
        aliases: {
          ...Object.fromEntries(
            pages.paths.map((path) => [`* ${path}`, handler((exchange) => pages.serve(exchange, sender))]),
          ),
          ...Object.fromEntries(
            entryPaths.map((path) => [
              `* ${path}`,
              handler((exchange) => serveDashboardSession(api, exchange, addressOf)),
            ]),
          ),
          [`* ${mcpPath}`]: handler((exchange) => serveMcp(api, exchange)),
          [`* ${notificationsPath}`]: handler((exchange) => serveNotification(api, exchange, addressOf)),
        },
      },
      {
        ...apiRoute,
        aliases: {
          ...aliasesOf(routeTable, operationHandler),
          [`* ${unmatchedPath}`]: handler(() => Promise.reject(new Refusal('not_found'))),
        },
      },
    ],
    $secureSettings: ['routes', 'rootCallOptions'],
  };

  /** Refuses a request before any work is done for it. */
  const shed = (exchange: Exchange): void => {
    app.metrics.requestsShed.inc({ by: 'gateway' });
    failed(exchange, tooMany);
  };

  /** Passes a request to moleculer-web and ends when it was answered, or its client is gone. */
  const pass = async (web: WebMiddleware, exchange: Exchange): Promise<void> => {
    const { request, response, requestId } = exchange;
    if (inProgress >= app.configuration.PLY_REQUEST_SLOTS && !pages.has(exchange.path)) return shed(exchange);
    const isSearch = exchange.match.kind === 'route' && exchange.match.route.action === 'searcher.search';
    if (isSearch && !searches.begin()) return shed(exchange);
    inProgress += 1;
    const span = app.tracing.isOn && !pages.has(exchange.path) ? beginTrace(app.tracing, exchange) : null;
    requestsFirst.began();
    try {
      await workingFor(span === null ? { requestId } : { requestId, span }, () =>
        web(request, response, (error) => failed(exchange, error ?? new Refusal('not_found'))),
      );
    } catch (error) {
      failed(exchange, error);
    } finally {
      inProgress -= 1;
      if (isSearch) searches.end();
      requestsFirst.ended();
      if (span !== null) endTrace(span, exchange);
    }
  };

  return {
    name: 'gateway',
    mixins: [ApiGateway],
    settings,
    // Routes cannot be listed or changed by calls.
    actions: { addRoute: false, removeRoute: false, listAliases: false },
    methods: {
      async authenticate(_context: Context, _route: unknown, request: WebRequest): Promise<object> {
        const exchange = exchangeOf(request);
        const identity = await track(exchange, identify(api, exchange));
        exchange.identity = identity;
        return { keyId: identity.key.keyId, organizationId: identity.organizationId };
      },
      async authorize(_context: Context, _route: unknown, request: WebRequest): Promise<void> {
        const exchange = exchangeOf(request);
        const { identity } = exchange;
        if (identity === null) throw new Refusal('api_key_required');
        await track(exchange, limitRate(api, exchange, identity));
        authorizeRoute(exchange, identity);
      },
      // The log of failures is the chassis's, with the request id.
      errorHandler(this: Service & WebService, request: IncomingMessage, response: ServerResponse, error: unknown) {
        this.sendError(request, response, error);
      },
      // Every route has onError; anything else must not reveal a message.
      reformatError: (error: unknown) => ({ code: failureOf(error).type }),
    },
    events: {
      'accounts.changed': () => api.access.forgetOrganizations(),
    },
    created() {
      const { broker } = this;
      const web = middlewareOf(this);
      searches = new SearchShare(broker);
      api = createApi(app, broker, broker.nodeID, () => broadcastEvent(broker, 'accounts.changed', {}));
      listener = app.listeners.add({
        name: 'api',
        host: app.configuration.PLY_HOST,
        port: app.configuration.PLY_API_PORT,
        handle: (request, response) => {
          const exchange: Exchange = openExchange(request, response, find, app.runtime);
          if (dashboard.has(exchange)) {
            void listener.track(dashboard.serve(exchange, sender).catch((error: unknown) => failed(exchange, error)));
            return;
          }
          attachExchange(exchange, pages.has(exchange.path));
          void listener.track(pass(web, exchange));
        },
      });
      let sweeping: NodeJS.Timeout | undefined;
      app.lifecycle.add({
        name: 'gateway',
        start: async () => {
          await listener.start();
          sweeping = setInterval(() => {
            api.idempotent
              .sweep()
              .catch((error: unknown) => app.log.warn({ err: error }, 'old idempotency keys could not be removed'));
          }, sweepIntervalMs);
        },
        stop: async (timeoutMs) => {
          clearInterval(sweeping);
          await listener.stop(timeoutMs);
        },
      });
    },
  };
}

function routeOf({ match }: Exchange): Route {
  if (match.kind !== 'route') throw new Error('the request has no route');
  return match.route;
}

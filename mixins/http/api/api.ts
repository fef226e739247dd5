import type { IncomingMessage } from 'node:http';
import type { ActionCaller } from '../../actions/call.ts';
import type { AppContext } from '../../app-context.ts';
import { BodyBudget } from '../body.ts';
import { AccessControl } from './access.ts';
import { sendFailure, type AnyExchange, type Sender } from './exchange.ts';
import { failureOf } from './failures.ts';
import { clientAddresses } from './sender-address.ts';
import { IdempotentRequests } from './idempotency.ts';

/** What of the app context an API needs. */
export type ApiContext = Pick<
  AppContext,
  | 'configuration'
  | 'runtime'
  | 'log'
  | 'metrics'
  | 'tracing'
  | 'lifecycle'
  | 'listeners'
  | 'records'
  | 'counters'
  | 'blobs'
  | 'sealer'
>;

/** The state that the handling of an API's requests shares. */
export interface Api {
  app: ApiContext;
  actions: ActionCaller;
  access: AccessControl;
  idempotent: IdempotentRequests;
  sender: Sender;
  /** The memory for bodies. */
  bodies: BodyBudget;
  /** The address that a request comes from. */
  addressOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
  /** Notifies other processes that sub-organizations were changed. */
  accountsChanged: () => void;
}

/** What the sending of responses needs of the process. */
export function senderOf({
  metrics,
  configuration,
  lifecycle,
}: Pick<ApiContext, 'metrics' | 'configuration' | 'lifecycle'>): Sender {
  return {
    metrics,
    defaultLimit: configuration.PLY_REQUESTS_PER_MINUTE,
    draining: () => lifecycle.draining,
  };
}

/** Makes the state of an API. @param processId unique to each start of a process */
export function createApi(app: ApiContext, actions: ActionCaller, processId: string, accountsChanged: () => void): Api {
  const { configuration, records, runtime } = app;
  const maxBytes = configuration.PLY_MAX_BODY_BYTES;
  return {
    app,
    actions,
    access: new AccessControl(),
    // Embedded records belong to one process: no other has the folder.
    idempotent: new IdempotentRequests(records, runtime, {
      id: processId,
      isAlone: configuration.PLY_MONGO_URL === null,
      sealer: app.sealer,
    }),
    sender: senderOf(app),
    // Room for eight bodies of the largest size; small ones need none.
    bodies: new BodyBudget(8 * maxBytes, Math.min(65_536, maxBytes / 2)),
    addressOf: clientAddresses(configuration.PLY_TRUSTED_PROXIES),
    accountsChanged,
  };
}

/** Ends a request that failed: responds with the error, or closes the connection of a response that has begun. */
export function endFailed(
  { log }: Pick<ApiContext, 'log'>,
  sender: Sender,
  exchange: AnyExchange,
  error: unknown,
): void {
  const { requestId, request, response, path } = exchange;
  const { method } = request;
  if (error instanceof Error && error.name === 'BodyLost') {
    // The listener has answered a slow client (408), and a client that went away needs no response.
    log.debug({ requestId, method, path }, 'a request ended before its body');
    return;
  }
  const failure = failureOf(error);
  if (failure.internal) log.error({ err: error, requestId, method, path }, 'a request failed');
  if (response.headersSent) response.destroy();
  else sendFailure(exchange, sender, failure);
}

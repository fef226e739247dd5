import { performance } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { faultOfTarget, type PrivateNetworks } from './addresses.ts';
import { guardedConnector, systemResolve, type Resolve } from './connector.ts';
import { RequestFailure, failureFrom } from './failure.ts';
import { piecesOf } from './pieces.ts';
import { limitBody } from './throughput.ts';

/** Times in milliseconds and sizes in bytes that every request keeps to. */
export interface ClientLimits {
  connectMs: number;
  /** From the request until all headers of the answer are there. */
  headersMs: number;
  /** Between two pieces of the body. */
  idleMs: number;
  maxHeaderBytes: number;
  leastBytesPerSecond: number;
  throughputMs: number;
  /** Connections to one origin at a time. */
  connections: number;
}

/** Limits for what comes from outside; made so that a bad source costs one slot for half a minute. */
export const defaultLimits: ClientLimits = {
  connectMs: 5000,
  headersMs: 10_000,
  idleMs: 20_000,
  maxHeaderBytes: 16_384,
  leastBytesPerSecond: 1024,
  throughputMs: 20_000,
  connections: 16,
};

/** What a guarded client is made from. */
export interface GuardedClientOptions {
  privateNetworks: PrivateNetworks;
  /** How names become addresses; the system's way where left out. */
  resolve?: Resolve;
  limits?: Partial<ClientLimits>;
}

/** One request. */
export interface GuardedRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'OPTIONS';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Largest body that is taken, in bytes. */
  maxBytes: number;
  /** Milliseconds until all headers of the answer are there, in place of the client's own limit. */
  headersMs?: number;
  signal?: AbortSignal;
}

/** An answer, whatever its status. Redirects are answers. */
export interface GuardedAnswer {
  status: number;
  /** A header by its name in lower case; several of one name joined by a comma; null where absent. */
  header(name: string): string | null;
  /**
   * The body in pieces. Read it to the end, or leave the loop, or call `discard`: until then the connection is held.
   * @throws RequestFailure
   */
  body: AsyncIterable<Uint8Array>;
  /** Drops the rest of the body and its connection. */
  discard(): void;
}

/** The one way by which anything is asked outside. */
export interface GuardedClient {
  /** @throws RequestFailure */
  request(url: string | URL, options: GuardedRequest): Promise<GuardedAnswer>;
  close(): Promise<void>;
}

/**
 * A client for addresses that come from outside: sources, callbacks, webhooks, connectors. It reaches only what
 * `guardedConnector` lets through, follows no redirects, keeps no cookies, uses no proxy of the environment, and
 * bounds sizes and times.
 */
export function guardedClient(options: GuardedClientOptions): GuardedClient {
  const limits = { ...defaultLimits, ...options.limits };
  const dispatcher = new Agent({
    connect: guardedConnector({ privateNetworks: options.privateNetworks, resolve: options.resolve ?? systemResolve, connectMs: limits.connectMs }),
    allowH2: false,
    connections: limits.connections,
    pipelining: 1,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.idleMs,
    maxHeaderSize: limits.maxHeaderBytes,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 30_000,
  });

  return {
    async request(address, { method = 'GET', headers = {}, body, maxBytes, headersMs, signal }) {
      if (!URL.canParse(String(address))) throw new RequestFailure('malformed', 'not an address');
      const url = new URL(address);
      const fault = faultOfTarget(url, options.privateNetworks);
      if (fault !== null) throw new RequestFailure('refused', `the host ${url.host} may not be asked (${fault})`);
      if (url.username !== '' || url.password !== '') throw new RequestFailure('refused', 'an address with user info is not asked');
      try {
        const answer = await request(url, {
          dispatcher,
          method,
          headers: { 'accept-encoding': 'identity', 'user-agent': 'ply', ...headers },
          ...(body === undefined ? {} : { body }),
          ...(headersMs === undefined ? {} : { headersTimeout: headersMs }),
          ...(signal === undefined ? {} : { signal }),
        });
        return {
          status: answer.statusCode,
          header(name) {
            const value = answer.headers[name];
            return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
          },
          body: told(limitBody(piecesOf(answer.body), { ...limits, maxBytes }, url.host, () => performance.now()), url.host, signal),
          discard() {
            // Destroying an unread body reports an abort that nobody waits for.
            answer.body.on('error', () => {});
            answer.body.destroy();
          },
        };
      } catch (error) {
        throw failureFrom(error, url.host, signal);
      }
    },
    async close() {
      await dispatcher.destroy();
    },
  };
}

/** A body whose errors are told as request failures. */
async function* told(body: AsyncIterable<Uint8Array>, host: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw failureFrom(error, host, signal);
  }
}

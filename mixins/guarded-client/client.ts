import { performance } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { faultOfTarget, type PrivateNetworks } from './addresses.ts';
import { limitBody } from './body.ts';
import { guardedConnector, systemResolve, type Resolve } from './connector.ts';
import { RequestFailure, failureFrom } from './failure.ts';

/** Limits of every request: times in milliseconds, sizes in bytes. */
export interface ClientLimits {
  connectMs: number;
  /** From the request until all headers of the answer are there. */
  headersMs: number;
  /** Between two pieces of the body. */
  idleMs: number;
  maxHeaderBytes: number;
  minBytesPerSecond: number;
  throughputMs: number;
  /** Connections to one origin at a time. */
  connections: number;
}

/** Limits under which a bad source occupies one slot for half a minute. */
export const defaultLimits: ClientLimits = {
  connectMs: 5000,
  headersMs: 10_000,
  idleMs: 20_000,
  maxHeaderBytes: 16_384,
  minBytesPerSecond: 1024,
  throughputMs: 20_000,
  connections: 16,
};

/** Options of a guarded client. */
export interface GuardedClientOptions {
  privateNetworks: PrivateNetworks;
  /** Resolves names to IP addresses; by default as the system does. */
  resolve?: Resolve;
  limits?: Partial<ClientLimits>;
  /**
   * Called once for each request: with the class of the answer's status (`2xx`) when its headers are there, or
   * `failed`, and the seconds until then.
   */
  observe?(outcome: string, seconds: number): void;
}

/** One request. */
export interface GuardedRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'OPTIONS';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Maximum size of the answer's body, in bytes. */
  maxBytes: number;
  /** Milliseconds until all headers of the answer are there; replaces the client's own limit. */
  headersMs?: number;
  signal?: AbortSignal;
}

/** An answer of any status. Redirects are not followed: they are answers. */
export interface GuardedAnswer {
  status: number;
  /** A header by its lower-case name; several of one name are joined by a comma; null if absent. */
  header(name: string): string | null;
  /**
   * The body in chunks. The connection is held until the body was read to its end, the loop was left, or `discard` was
   * called.
   * @throws RequestFailure
   */
  body: AsyncIterable<Uint8Array>;
  /** Drops the rest of the body and its connection. */
  discard(): void;
}

/** Sends all requests that leave the deployment. */
export interface GuardedClient {
  /** @throws RequestFailure */
  request(url: string | URL, options: GuardedRequest): Promise<GuardedAnswer>;
  close(): Promise<void>;
}

/**
 * Creates a client for addresses that users supply: sources, callbacks, webhooks, connectors. It connects only where
 * `guardedConnector` allows it, follows no redirects, keeps no cookies, uses no proxy of the environment, and bounds
 * sizes and times.
 */
export function guardedClient(options: GuardedClientOptions): GuardedClient {
  const limits = { ...defaultLimits, ...options.limits };
  const { privateNetworks, observe = () => undefined } = options;
  const dispatcher = new Agent({
    connect: guardedConnector({
      privateNetworks,
      resolve: options.resolve ?? systemResolve,
      connectMs: limits.connectMs,
    }),
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
      const fault = faultOfTarget(url, privateNetworks);
      if (fault !== null)
        throw new RequestFailure('refused', `requests to the host ${url.host} are not allowed (${fault})`);
      if (url.username !== '' || url.password !== '')
        throw new RequestFailure('refused', 'an address must hold no user name or password');
      const startedAt = performance.now();
      const seconds = (): number => (performance.now() - startedAt) / 1000;
      try {
        const answer = await request(url, {
          dispatcher,
          method,
          headers: { 'accept-encoding': 'identity', 'user-agent': 'ply', ...headers },
          ...(body === undefined ? {} : { body }),
          ...(headersMs === undefined ? {} : { headersTimeout: headersMs }),
          ...(signal === undefined ? {} : { signal }),
        });
        observe(`${Math.floor(answer.statusCode / 100)}xx`, seconds());
        return {
          status: answer.statusCode,
          header(name) {
            const value = answer.headers[name];
            return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
          },
          body: limitBody(
            answer.body,
            { ...limits, maxBytes },
            { host: url.host, signal, now: () => performance.now() },
          ),
          discard() {
            // Destroying an unread body emits an abort error.
            answer.body.on('error', () => {});
            answer.body.destroy();
          },
        };
      } catch (error) {
        observe('failed', seconds());
        throw failureFrom(error, url.host, signal);
      }
    },
    async close() {
      await dispatcher.destroy();
    },
  };
}

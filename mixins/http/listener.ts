import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Where and how a listener takes requests. */
export interface ListenerOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Milliseconds for a request's headers. */
  headersTimeout?: number;
  /** Milliseconds for a whole request; 0 for none (raw uploads, which need an idle timeout of their own). */
  requestTimeout?: number;
  handle: (request: IncomingMessage, response: ServerResponse) => void;
}

/** An HTTP listener that can be stopped with connections open. */
export interface Listener {
  readonly server: Server;
  /** Starts to listen. @throws the error of the socket, such as EADDRINUSE */
  start(): Promise<AddressInfo>;
  /**
   * Takes no new connection, closes idle ones at once and each other when its answer is sent, and after `grace`
   * milliseconds all that are left.
   */
  stop(grace: number): Promise<void>;
}

/** Longest request line and headers together, in bytes; longer ones are answered 431. */
const maxHeaderBytes = 16_384;

/** An HTTP/1.1 listener with every limit set. */
export function createListener(options: ListenerOptions): Listener {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: options.headersTimeout ?? 10_000,
    requestTimeout: options.requestTimeout ?? 30_000,
    keepAliveTimeout: 30_000,
    // Slow requests are looked for this often; the default of 30 s would let them live three times as long.
    connectionsCheckingInterval: 1000,
    noDelay: true,
  });
  server.maxConnections = 10_000;
  server.on('request', options.handle);
  // The checks come first: a body that will be refused is not asked for (RFC 9110, 10.1.1).
  server.on('checkContinue', options.handle);
  return { server, start: () => start(server, options), stop: (grace) => stop(server, grace) };
}

function start(server: Server, { port, host }: ListenerOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the listener has no network address'));
      else resolve(address);
    });
  });
}

async function stop(server: Server, grace: number): Promise<void> {
  if (!server.listening) return;
  let closed = false;
  const done = new Promise<void>((resolve) => {
    server.close(() => {
      closed = true;
      resolve();
    });
  });
  const deadline = performance.now() + grace;
  while (!closed && performance.now() < deadline) {
    server.closeIdleConnections();
    await Promise.race([done, wait(20, undefined, { ref: false })]);
  }
  server.closeAllConnections();
  await done;
}

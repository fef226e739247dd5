import { createServer, ServerResponse, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';

/** Where a listener listens, its limits, and what handles its requests. */
export interface ListenerOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Milliseconds for a request's headers. */
  headersTimeout?: number;
  /** Milliseconds for a whole request; 0 for none (raw uploads, which need an idle timeout of their own). */
  requestTimeout?: number;
  /** Milliseconds without any byte in either direction after which a connection is closed; 0 for none. */
  idleTimeout?: number;
  /** Longest request line and headers together, in bytes; longer ones are answered 431. */
  maxHeaderBytes?: number;
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * The certificate of a hostname, for a listener with TLS; null if there is none, which ends the handshake. Without this
   * the listener speaks plain HTTP.
   */
  secureContextOf?: (hostname: string) => Promise<SecureContext | null>;
  /**
   * The body of the 400 to a request that cannot be parsed, by the parser's error code (`HPE_...`, see llhttp); null for
   * none.
   */
  describeBadRequest?: (code: string) => { headers: { readonly [name: string]: string }; body: string } | null;
}

/** An HTTP listener that can be stopped with connections open. */
export interface Listener {
  /** Starts to listen. @throws the error of the socket, such as EADDRINUSE */
  start(): Promise<AddressInfo>;
  /**
   * Accepts no new connection, closes those without a complete request at once (one whose body is still being received
   * gets a moment) and each other when its response is sent, and after `timeoutMs` all that are left. Waits as long for
   * tracked work.
   */
  stop(timeoutMs: number): Promise<void>;
  /** Counts work that `stop` waits for, whether or not the client is still connected. Returns the work. */
  track<T>(work: Promise<T>): Promise<T>;
}

/** Default of `maxHeaderBytes`. A read on behalf of a person may name 1,000 principals in its address. */
const defaultHeaderBytes = 65_536;

/** Milliseconds that a stopping listener waits for the rest of a body. */
const bodyTimeoutMs = 1000;

/** The connections of a listener, and the pending responses of each. */
class Connections {
  /** The latest responses of a connection; several where the client pipelines its requests. */
  private readonly pending = new Map<Socket, ServerResponse[]>();

  constructor(server: Server, isSecure: boolean) {
    server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.pending.set(socket, []);
      socket.once('close', () => this.pending.delete(socket));
    });
  }

  /** Keeps a connection in use until the response is sent. */
  add({ socket }: IncomingMessage, response: ServerResponse): void {
    const responses = this.pending.get(socket);
    if (responses === undefined) return;
    // Sent responses are removed here and in closeIdle: an event listener for each response costs more.
    if (responses.length === 1 && responses[0] !== undefined && isSent(responses[0])) responses[0] = response;
    else {
      if (responses.length > 1) responses.splice(0, responses.length, ...responses.filter((each) => !isSent(each)));
      responses.push(response);
    }
  }

  /** Closes connections without a pending response; with `incomplete` also those that only wait for bodies. */
  closeIdle(incomplete: boolean): void {
    for (const [socket, responses] of this.pending) {
      const open = responses.filter((response) => !isSent(response));
      if (open.length === 0 || (incomplete && open.every(({ req }) => !req.complete))) socket.destroy();
    }
  }
}

/** Whether a response has left the process, or never will. */
function isSent(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}

/** Milliseconds for the handshake of a connection with TLS. */
const handshakeTimeoutMs = 5000;

/** A server that ends TLS with the certificate of the hostname that the client names (SNI, RFC 6066). */
function secureServer(limits: ServerOptions, contextOf: NonNullable<ListenerOptions['secureContextOf']>): Server {
  return createSecureServer({
    ...limits,
    handshakeTimeout: handshakeTimeoutMs,
    minVersion: 'TLSv1.2',
    SNICallback: (hostname, answer) => {
      contextOf(hostname).then(
        (context) => (context === null ? answer(new Error(`no certificate for ${hostname}`)) : answer(null, context)),
        answer,
      );
    },
  });
}

/** An HTTP/1.1 listener with every limit set. */
export function createListener(options: ListenerOptions): Listener {
  const { secureContextOf } = options;
  const limits: ServerOptions = {
    maxHeaderSize: options.maxHeaderBytes ?? defaultHeaderBytes,
    headersTimeout: options.headersTimeout ?? 10_000,
    requestTimeout: options.requestTimeout ?? 30_000,
    keepAliveTimeout: 30_000,
    // How often timeouts are checked; the default of 30 s would allow three times the timeout.
    connectionsCheckingInterval: 1000,
    noDelay: true,
  };
  const server = secureContextOf === undefined ? createServer(limits) : secureServer(limits, secureContextOf);
  if (options.idleTimeout !== undefined) server.timeout = options.idleTimeout;
  server.maxConnections = 10_000;
  const connections = new Connections(server, secureContextOf !== undefined);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    connections.add(request, response);
    options.handle(request, response);
  };
  server.on('request', handle);
  // The checks come first: the body of a request that is refused is not asked for (RFC 9110, 10.1.1).
  server.on('checkContinue', handle);
  // Unknown expectations are ignored (RFC 9110, 10.1.1 leaves it open).
  server.on('checkExpectation', handle);
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const { code = '' } = error;
    // A handshake that failed: nothing can be answered.
    if (secureContextOf !== undefined && !/^(HPE|ERR_HTTP)_/.test(code)) socket.destroy();
    else refuseBadRequest(error, socket, options.describeBadRequest?.(code) ?? null);
  });
  let inFlight = 0;
  return {
    start: () => start(server, options),
    stop: async (timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      await stop(server, connections, timeoutMs);
      while (inFlight > 0 && performance.now() < deadline) await wait(20);
    },
    track: (work) => {
      const ended = (): void => {
        inFlight -= 1;
      };
      inFlight += 1;
      work.then(ended, ended);
      return work;
    },
  };
}

const badRequestStatus: { [code: string]: string | undefined } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Milliseconds in which a client that is still sending may read the response to a bad request. */
const lingerMs = 1000;

/**
 * Responds to a malformed or too slow request, which never reached a route. What the client still sends is
 * discarded for a moment, because closing at once would reset the connection and the response with it (RFC 9112, 9.6).
 */
function refuseBadRequest(
  error: Error & { code?: string },
  socket: Duplex & { _httpMessage?: unknown },
  described: ReturnType<NonNullable<ListenerOptions['describeBadRequest']>>,
): void {
  // Already refused: each further piece that the client sends emits this event again.
  if (socket.writableEnded) return;
  // A response that has begun must not be interrupted by another. Only this field of the socket shows it.
  const begun = socket._httpMessage instanceof ServerResponse && socket._httpMessage.headersSent;
  if (!socket.writable || begun || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { headers = {}, body = '' } = described ?? {};
  const lines = [
    `HTTP/1.1 ${badRequestStatus[error.code ?? ''] ?? '400 Bad Request'}`,
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
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

async function stop(server: Server, connections: Connections, timeoutMs: number): Promise<void> {
  if (!server.listening) return;
  let closed = false;
  const done = new Promise<void>((resolve) => {
    server.close(() => {
      closed = true;
      resolve();
    });
  });
  const began = performance.now();
  while (!closed && performance.now() < began + timeoutMs) {
    connections.closeIdle(performance.now() > began + Math.min(bodyTimeoutMs, timeoutMs / 4));
    await Promise.race([done, wait(20, undefined, { ref: false })]);
  }
  server.closeAllConnections();
  await done;
}

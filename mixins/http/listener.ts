import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
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
   * Takes no new connection, closes those without a whole request at once (one whose body is still coming gets a
   * moment) and each other when its answer is sent, and after `grace` milliseconds all that are left.
   */
  stop(grace: number): Promise<void>;
}

/** Longest request line and headers together, in bytes; longer ones are answered 431. A read as somebody may name 1,000 principals in its address. */
const maxHeaderBytes = 65_536;

/** Milliseconds that a stopping listener waits for the rest of a body. */
const bodyPatience = 1000;

/** The connections of a listener, and the answers that each of them owes. */
class Connections {
  /** The answers last begun on a connection; several where a client does not wait for one before it asks again. */
  private readonly owed = new Map<Socket, ServerResponse[]>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.owed.set(socket, []);
      socket.once('close', () => this.owed.delete(socket));
    });
  }

  /** A request has come: its connection is in use until its answer is sent. */
  take({ socket }: IncomingMessage, response: ServerResponse): void {
    const answers = this.owed.get(socket);
    if (answers === undefined) return;
    // What was sent is looked for here, and when hanging up: a listener for each answer costs more.
    if (answers.length === 1 && answers[0] !== undefined && isSent(answers[0])) answers[0] = response;
    else {
      if (answers.length > 1) answers.splice(0, answers.length, ...answers.filter((answer) => !isSent(answer)));
      answers.push(response);
    }
  }

  /** Hangs up where no answer is owed; with `impatient` also where all requests still wait for their bodies. */
  hangUp(impatient: boolean): void {
    for (const [socket, answers] of this.owed) {
      const open = answers.filter((answer) => !isSent(answer));
      if (open.length === 0 || (impatient && open.every(({ req }) => !req.complete))) socket.destroy();
    }
  }
}

/** Whether an answer has left the process, or never will. */
function isSent(answer: ServerResponse): boolean {
  return answer.writableFinished || answer.destroyed;
}

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
  const connections = new Connections(server);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    connections.take(request, response);
    options.handle(request, response);
  };
  server.on('request', handle);
  // The checks come first: a body that will be refused is not asked for (RFC 9110, 10.1.1).
  server.on('checkContinue', handle);
  // An expectation that nobody knows is no reason to refuse a request (RFC 9110, 10.1.1 leaves it open).
  server.on('checkExpectation', handle);
  server.on('clientError', refuseBroken);
  return { server, start: () => start(server, options), stop: (grace) => stop(server, connections, grace) };
}

const brokenAnswers: { [code: string]: string | undefined } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Milliseconds in which a client that still sends may read why it is refused. */
const lingering = 1000;

/**
 * Answers what is no HTTP request, or one that came too slowly, without a body: it never reached the API. What the
 * client still sends is thrown away for a moment, because closing at once would reset the connection and take the
 * answer away with it (RFC 9112, 9.6).
 */
function refuseBroken(error: Error & { code?: string }, socket: Duplex & { _httpMessage?: unknown }): void {
  // It is answered already; every further piece of what it sends comes here again.
  if (socket.writableEnded) return;
  // An answer that has begun must not get another one into its middle. Only this field of the socket knows of it.
  const begun = socket._httpMessage instanceof ServerResponse && socket._httpMessage.headersSent;
  if (!socket.writable || begun || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  socket.end(`HTTP/1.1 ${brokenAnswers[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  setTimeout(() => socket.destroy(), lingering).unref();
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

async function stop(server: Server, connections: Connections, grace: number): Promise<void> {
  if (!server.listening) return;
  let closed = false;
  const done = new Promise<void>((resolve) => {
    server.close(() => {
      closed = true;
      resolve();
    });
  });
  const began = performance.now();
  while (!closed && performance.now() < began + grace) {
    connections.hangUp(performance.now() > began + Math.min(bodyPatience, grace / 4));
    await Promise.race([done, wait(20, undefined, { ref: false })]);
  }
  server.closeAllConnections();
  await done;
}

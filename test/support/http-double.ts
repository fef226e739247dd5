import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A test server on a loopback port. Subclasses define its answers. */
export abstract class HttpDouble {
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : undefined),
      );
    });
  }

  /** Answers a request, or leaves it unanswered. An error ends the connection. */
  protected abstract answer(request: IncomingMessage, response: ServerResponse): Promise<void>;

  /** Starts it and returns its base address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Stops it, with all connections. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IssuedCertificate } from './test-authority.ts';

/** A request as an endpoint received it. */
export interface ReceivedWebhook {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** When it arrived, in milliseconds. */
  at: number;
}

/** How a request is answered: a status, or `hang` for no answer. */
export type WebhookAnswer = { status: number; headers?: Record<string, string> } | 'hang';

/** The server of a customer that receives webhooks. It shares no code with the program. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  port = 0;
  private answering: (request: ReceivedWebhook) => WebhookAnswer = () => ({ status: 204 });
  private readonly server: Server;
  private readonly scheme: string;

  /** @param certificate of its TLS; null: it speaks http */
  constructor(certificate: IssuedCertificate | null) {
    const receive = (request: IncomingMessage, response: ServerResponse): void => void this.receive(request, response);
    this.server = certificate === null ? createPlainServer(receive) : createServer(certificate, receive);
    this.scheme = certificate === null ? 'http' : 'https';
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', () => resolve()));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  /** The address of a path. */
  url(path = '/', host = 'localhost'): string {
    return `${this.scheme}://${host}:${this.port}${path}`;
  }

  answerWith(answering: (request: ReceivedWebhook) => WebhookAnswer): void {
    this.answering = answering;
  }

  /** What arrived at a path. */
  at(path: string): ReceivedWebhook[] {
    return this.received.filter((request) => request.path === path);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const received = { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString('utf8'), at };
    this.received.push(received);
    const answer = this.answering(received);
    if (answer === 'hang') return;
    response.writeHead(answer.status, answer.headers).end();
  }
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fields of a verified request. */
export interface AskedFile {
  organizationId: string;
  externalId: string;
  sourceVersion: string;
  sourceUrl: string;
}

/** How a request is answered. */
export interface ReceiverAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | Uint8Array | object;
}

/** Makes an answer for a verified request. */
export type Answering = (file: AskedFile) => ReceiverAnswer | Promise<ReceiverAnswer>;

/** Tolerance of timestamps and minimum lifetime of nonces, in seconds. */
const windowSeconds = 300;
const maxBytes = 16 * 1024;

/**
 * A customer's callback, written only from docs/sources.md: it shares no code with the program. It verifies the bytes
 * of each request, sends the configured answer to verified requests, and 401 to all others.
 */
export class CallbackReceiver {
  readonly secret: string;
  /** Verified requests in order. */
  readonly asked: AskedFile[] = [];
  /** The reasons of refused requests. */
  readonly rejected: string[] = [];
  /** Nonces of verified requests, with the second in which each may be forgotten. */
  readonly nonces = new Map<string, number>();
  url = '';
  private answering: Answering = () => ({ status: 503 });
  private readonly server: Server;
  private readonly now: () => number;

  constructor(secret: string, now: () => number = Date.now) {
    this.secret = secret;
    this.now = now;
    this.server = createServer((request, response) => void this.receive(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', () => resolve()));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/access`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  /** Sets the answer to verified requests. */
  answerWith(answering: Answering): void {
    this.answering = answering;
  }

  /** Number of requests for a file. */
  count(externalId: string): number {
    return this.asked.filter((file) => file.externalId === externalId).length;
  }

  /** The reason to refuse a request; null if it is valid. */
  fault(method: string | undefined, headers: IncomingMessage['headers'], raw: Buffer): string | null {
    if (method !== 'POST') return `method ${method}`;
    if (headers['content-type'] !== 'application/json') return `content type ${headers['content-type']}`;
    if (raw.byteLength > maxBytes) return `${raw.byteLength} bytes`;
    const [timestamp, nonce, signature] = [
      headers['x-content-timestamp'],
      headers['x-content-nonce'],
      headers['x-content-signature'],
    ];
    if (typeof timestamp !== 'string' || typeof nonce !== 'string' || typeof signature !== 'string')
      return 'a header is missing';
    const expected = createHmac('sha256', Buffer.from(this.secret, 'utf8'))
      .update(`${timestamp}\n${nonce}\n`)
      .update(raw)
      .digest();
    const given = Buffer.from(signature, 'base64');
    if (
      given.byteLength !== expected.byteLength ||
      !timingSafeEqual(given, expected) ||
      expected.toString('base64') !== signature
    )
      return 'the signature is not that of the body';
    const seconds = this.now() / 1000;
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(seconds - Number(timestamp)) > windowSeconds)
      return `timestamp ${timestamp}`;
    for (const [known, until] of this.nonces) if (until < seconds) this.nonces.delete(known);
    if (nonce === '' || this.nonces.has(nonce)) return `nonce ${nonce} again`;
    this.nonces.set(nonce, Math.max(seconds, Number(timestamp)) + windowSeconds);
    return null;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const raw = Buffer.concat(pieces);
    const fault = this.fault(request.method, request.headers, raw);
    if (fault !== null) {
      this.rejected.push(fault);
      response.writeHead(401).end();
      return;
    }
    const text = raw.toString('utf8');
    const file = JSON.parse(text) as AskedFile;
    const fields = Object.keys(file).join();
    if (fields !== 'organizationId,externalId,sourceVersion,sourceUrl' || JSON.stringify(file) !== text)
      this.rejected.push(`a body of ${fields}`);
    this.asked.push(file);
    const { status = 200, headers = {}, body = '' } = await this.answering(file);
    const isAsIs = typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(isAsIs ? body : JSON.stringify(body));
  }
}

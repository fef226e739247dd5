import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The response for a file. */
export interface SourceFile {
  body: string | Uint8Array;
  /** Null: no ETag. */
  etag: string | null;
  status: number;
  headers: Record<string, string>;
  /** Responses wait for this promise. */
  held: Promise<void>;
}

/** The fields of a registration of the file. */
export type SourceReference = { sourceUrl: string; sourceVersion: string };

/** A loopback server of files. Tests can change its responses at any time. */
export class Source {
  private readonly server: Server;
  private readonly files = new Map<string, SourceFile>();
  /** Number of requests by path. */
  readonly requests = new Map<string, number>();
  /** Requested targets with their query strings. */
  readonly targets: string[] = [];
  url = '';

  constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', () => resolve()));
    const { port } = this.server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  /** Adds or replaces a file; its ETag is derived from its content. */
  put(name: string, body: string | Uint8Array, options: Partial<SourceFile> = {}): SourceReference {
    const etag =
      options.etag === undefined ? `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"` : options.etag;
    this.files.set(`/${name}`, { body, status: 200, headers: {}, held: Promise.resolve(), ...options, etag });
    return { sourceUrl: `${this.url}/${name}`, sourceVersion: etag ?? '"none"' };
  }

  /** Changes the responses for a file. */
  change(name: string, options: Partial<SourceFile>): void {
    const file = this.files.get(`/${name}`);
    if (file === undefined) throw new Error(`there is no ${name}`);
    this.files.set(`/${name}`, { ...file, ...options });
  }

  /** Adds a file whose responses wait until `release` is called. */
  hold(name: string, body: string): SourceReference & { release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { ...this.put(name, body, { held: promise }), release: resolve };
  }

  /** Number of requests for a file. */
  count(name: string): number {
    return this.requests.get(`/${name}`) ?? 0;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? '/';
    const path = target.split('?', 1)[0] ?? '/';
    this.targets.push(target);
    this.requests.set(path, (this.requests.get(path) ?? 0) + 1);
    await this.files.get(path)?.held;
    const file = this.files.get(path);
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(file.status, { ...(file.etag === null ? {} : { ETag: file.etag }), ...file.headers });
    response.end(file.body);
  }
}

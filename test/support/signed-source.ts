import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StoredFile {
  body: Buffer;
  etag: string;
}

/** One request to the source. */
export interface SourceRequest {
  path: string;
  query: string;
  range: string | null;
  status: number;
}

/**
 * A file store that requires a valid signature for the file. Its tokens resemble shared access signatures (`se`, `sp`,
 * `sig`). It serves ranges and can break off its answers.
 */
export class SignedSource {
  url = '';
  readonly requests: SourceRequest[] = [];
  /** Awaited before each answer. */
  held: Promise<void> = Promise.resolve();
  /** Bytes after which each answer breaks off. */
  breakAfter = Infinity;
  /** Called when a file, or a part of it, begins to be served. */
  served: () => void = () => undefined;
  private key = 'the first key';
  private readonly files = new Map<string, StoredFile>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', () => resolve()));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  put(name: string, body: string | Uint8Array): { sourceUrl: string; sourceVersion: string } {
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
    this.files.set(`/${name}`, { body: Buffer.from(body), etag });
    return { sourceUrl: `${this.url}/${name}`, sourceVersion: etag };
  }

  remove(name: string): void {
    this.files.delete(`/${name}`);
  }

  /** A token that opens one file for a while. */
  token(name: string, milliseconds = 3_600_000): string {
    const until = new Date(Date.now() + milliseconds).toISOString();
    return `se=${encodeURIComponent(until)}&sp=r&sig=${encodeURIComponent(this.signature(`/${name}`, until))}`;
  }

  /** An address that opens one file for a while. */
  signed(name: string, milliseconds?: number): string {
    return `${this.url}/${name}?${this.token(name, milliseconds)}`;
  }

  /** Revokes all tokens. */
  withdraw(): void {
    this.key = `${this.key}, and another`;
  }

  /** The requests for a file so far. */
  of(name: string): SourceRequest[] {
    return this.requests.filter(({ path }) => path === `/${name}`);
  }

  private signature(path: string, until: string): string {
    return createHmac('sha256', this.key).update(`${path}\n${until}`).digest('base64');
  }

  private isOpen(path: string, query: URLSearchParams): boolean {
    const until = query.get('se') ?? '';
    return (
      query.get('sp') === 'r' && Date.parse(until) > Date.now() && query.get('sig') === this.signature(path, until)
    );
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.held;
    const { pathname, searchParams, search } = new URL(request.url ?? '/', this.url);
    const file = this.files.get(pathname);
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const ifMatch = request.headers['if-match'];
    const status = !this.isOpen(pathname, searchParams)
      ? 403
      : file === undefined
        ? 404
        : ifMatch !== undefined && ifMatch !== file.etag
          ? 412
          : range === null
            ? 200
            : 206;
    this.requests.push({ path: pathname, query: search, range: request.headers.range ?? null, status });
    if (file === undefined || status >= 400) {
      response.writeHead(status).end();
      return;
    }
    this.served();
    const from = Number(range?.[1] ?? 0);
    const part = file.body.subarray(from, range?.[2] ? Number(range[2]) + 1 : undefined);
    const where =
      range === null ? {} : { 'Content-Range': `bytes ${from}-${from + part.length - 1}/${file.body.length}` };
    response.writeHead(status, { ETag: file.etag, 'Accept-Ranges': 'bytes', 'Content-Length': part.length, ...where });
    if (part.length <= this.breakAfter) response.end(part);
    else response.write(part.subarray(0, this.breakAfter), () => setTimeout(() => response.destroy(), 30));
  }
}

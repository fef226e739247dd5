import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * How a source answers one request, in place of answering well. `part` is what was asked for, `attempt` counts requests
 * from 1.
 */
export type Behaviour = (
  response: ServerResponse,
  request: { part: { from: number; to: number } | null; attempt: number },
) => void;

/** A source on the loopback interface. */
export interface TestSource {
  url: string;
  /** The `Range` of each request, null if the whole file was asked for. */
  asked: (string | null)[];
  /** What it serves from now on. */
  serve(content: Uint8Array, options?: { behaviour?: Behaviour; ranges?: boolean; etag?: string }): void;
  /** Returns a request well. */
  well(response: ServerResponse, part: { from: number; to: number } | null): void;
  close(): Promise<void>;
}

function partOf(request: IncomingMessage, size: number): { from: number; to: number } | null {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  return range === null ? null : { from: Number(range[1]), to: range[2] === '' ? size : Number(range[2]) + 1 };
}

/** Opens a source. It serves nothing until `serve` is called. */
export async function openSourceServer(): Promise<TestSource> {
  let content: Uint8Array = new Uint8Array(0);
  let [behaviour, ranges, etag]: [Behaviour | null, boolean, string] = [null, true, '"1"'];
  const asked: (string | null)[] = [];
  const well: TestSource['well'] = (response, part) => {
    const headers = { ETag: etag, ...(ranges ? { 'Accept-Ranges': 'bytes' } : {}) };
    if (part === null || !ranges)
      response.writeHead(200, { ...headers, 'Content-Length': content.byteLength }).end(content);
    else
      response
        .writeHead(206, {
          ...headers,
          'Content-Length': part.to - part.from,
          'Content-Range': `bytes ${part.from}-${part.to - 1}/${content.byteLength}`,
        })
        .end(content.subarray(part.from, part.to));
  };
  const server = createServer((request, response) => {
    asked.push(request.headers.range ?? null);
    const part = partOf(request, content.byteLength);
    if (request.headers['if-match'] !== undefined && request.headers['if-match'] !== etag)
      response.writeHead(412).end();
    else if (behaviour === null) well(response, part);
    else behaviour(response, { part, attempt: asked.length });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/recording`,
    asked,
    well,
    serve: (bytes, options = {}) => {
      content = bytes;
      behaviour = options.behaviour ?? null;
      ranges = options.ranges ?? true;
      etag = options.etag ?? '"1"';
      asked.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

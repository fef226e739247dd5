import { createServer } from 'node:http';
import { forkServer, serveForked } from './forked-server.ts';

/** A bare node:http server in a separate process with the same response to every request. */
export interface PlainServer {
  url: string;
  pid: number;
  stop(): void;
}

/** Starts it and waits until it listens. */
export async function startPlainServer(body: string): Promise<PlainServer> {
  const { port, pid, stop } = await forkServer(import.meta.filename, [body]);
  return { url: `http://127.0.0.1:${port}`, pid, stop };
}

if (import.meta.main) {
  const body = process.argv[2] ?? '';
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  serveForked(server);
}

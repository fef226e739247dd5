import { createServer } from 'node:http';
import { forkServer, serveForked, type ForkedServer } from '../forked-server.ts';

/**
 * Starts a bare node:http server in a separate process. `/<number>` is answered with so many bytes from memory: what the
 * runtime itself costs, without a link, a cache, a file or counting.
 */
export function startBareServer(): Promise<ForkedServer> {
  return forkServer(import.meta.filename);
}

if (import.meta.main) {
  const bodies = new Map<string, Buffer>();
  serveForked(
    createServer((request, response) => {
      const target = request.url ?? '';
      let body = bodies.get(target);
      if (body === undefined) bodies.set(target, (body = Buffer.alloc(Number(target.slice(1)), 'x')));
      response.writeHead(200, ['Content-Type', 'application/octet-stream', 'Content-Length', String(body.length)]);
      response.end(body);
    }),
  );
}

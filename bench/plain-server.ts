import { fork } from 'node:child_process';
import { createServer } from 'node:http';

/** A bare node:http server in a process of its own that gives every request the same answer. */
export interface PlainServer {
  url: string;
  pid: number;
  stop(): void;
}

/** Starts it and waits until it listens. */
export async function startPlainServer(body: string): Promise<PlainServer> {
  const child = fork(import.meta.filename, [body], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', () => reject(new Error('the plain server ended')));
  });
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => void child.kill() };
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
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) process.send?.(address.port);
  });
  // It ends with the bench, however that ends.
  process.on('disconnect', () => process.exit(0));
}

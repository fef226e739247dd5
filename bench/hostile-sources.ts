import { createServer, type ServerResponse } from 'node:http';
import { forkServer, serveForked } from './forked-server.ts';

/** Malicious sources on this machine, in a separate process, so that they do not delay the measuring one. */
export interface HostileSources {
  url: string;
  /** Names of the files. */
  names: readonly string[];
  stop(): void;
}

const mebibyte = 2 ** 20;

/** Writes endlessly, as fast as the client reads. */
function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(mebibyte / 4, 'word ');
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', write);
  };
  write();
}

function trickle(response: ServerResponse, bytes: number): void {
  const timer = setInterval(() => response.write('x'.repeat(bytes)), 1000);
  response.once('close', () => clearInterval(timer));
}

const etag = '"1"';

const behaviours: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'silent.txt': () => undefined,
  'a-byte-a-second.txt': (response) => trickle(response.writeHead(200, { etag }), 1),
  'a-byte-a-second.mp3': (response) => trickle(response.writeHead(200, { etag }), 1),
  'a-byte-a-second.pdf': (response) => trickle(response.writeHead(200, { etag, 'content-length': 10_000_000 }), 1),
  'never-ends.txt': (response) => endless(response.writeHead(200, { etag })),
  'never-ends.csv': (response) => endless(response.writeHead(200, { etag })),
  'lies-about-length.txt': (response) =>
    void response.writeHead(200, { etag, 'content-length': 1000 }).write('x', () => response.destroy()),
  'closes-early.txt': (response) => void response.writeHead(200, { etag }).write('x', () => response.destroy()),
  'leads-elsewhere.txt': (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  'changed-since.txt': (response) => void response.writeHead(200, { etag: '"2"' }).end('words'),
  'fails.txt': (response) => void response.writeHead(500).end(),
  'headers-without-end.txt': (response) =>
    void response.socket?.write(`HTTP/1.1 200 OK\r\n${'x-more: words\r\n'.repeat(100_000)}`),
};

/** Starts them. */
export async function startHostileSources(): Promise<HostileSources> {
  const { port, stop } = await forkServer(import.meta.filename);
  return { url: `http://127.0.0.1:${port}`, names: Object.keys(behaviours), stop };
}

function serve(): void {
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    const behave = behaviours[(request.url ?? '/').slice(1)];
    if (behave === undefined) response.writeHead(404).end();
    else behave(response);
  });
  serveForked(server);
}

if (import.meta.main) serve();

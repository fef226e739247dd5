import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createListener, type Socket } from 'node:net';
import { randomNumbers, drawText, englishWords } from './vocabulary.ts';
import { forkServer, serveForked } from './forked-server.ts';

/** A source of files on this machine, in a separate process. */
export interface SourceServer {
  url: string;
  stop(): void;
}

/** Its content: generated text files under `/text/<number>.txt`, and the given files under `/file/<name>`. */
export interface SourceContent {
  texts: number;
  wordsPerText: number;
  files: Record<string, string>;
}

/** The generated texts, the same in every run: lines of ten words. */
export function generatedTexts(count: number, words: number): string[] {
  const random = randomNumbers(29);
  const vocabulary = englishWords();
  return Array.from({ length: count }, () => {
    const text = drawText(vocabulary, words, random).split(' ');
    return Array.from({ length: Math.ceil(words / 10) }, (_, line) =>
      text.slice(line * 10, line * 10 + 10).join(' '),
    ).join('\n');
  });
}

/** Starts it and waits until it listens. */
export async function startSourceServer(content: SourceContent): Promise<SourceServer> {
  const { port, stop } = await forkServer(import.meta.filename, [JSON.stringify(content)]);
  return { url: `http://127.0.0.1:${port}`, stop };
}

/**
 * Responds to requests for texts with prepared responses, and passes the connection on at any other request. The server
 * shares the CPU with the measured program, so it must use little of it.
 */
function answerTexts(socket: Socket, answers: readonly Buffer[], passOn: (socket: Socket) => void): void {
  let received = '';
  const onData = (chunk: Buffer): void => {
    received += chunk.toString('latin1');
    if (!received.endsWith('\r\n\r\n')) return;
    const request = received;
    received = '';
    const answer = answers[Number(/^GET \/text\/(\d+)\.txt HTTP\/1\.1\r\n/.exec(request)?.[1])];
    if (answer !== undefined) {
      socket.write(answer);
      return;
    }
    socket.pause();
    socket.off('data', onData);
    socket.unshift(Buffer.from(request, 'latin1'));
    passOn(socket);
    socket.resume();
  };
  socket.setNoDelay(true);
  socket.on('data', onData);
  // The client closed the connection.
  socket.on('error', () => socket.destroy());
}

function serve({ texts, wordsPerText, files }: SourceContent): void {
  const bodies = generatedTexts(texts, wordsPerText).map((text) => Buffer.from(text));
  const answers = bodies.map((body, number) =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\netag: "${number}.txt"\r\ncontent-length: ${body.length}\r\n\r\n`),
      body,
    ]),
  );
  const others = createServer((request, response) => {
    const [, kind = '', name = ''] = (request.url ?? '').split('/');
    const path = files[name];
    if (kind === 'file' && path !== undefined) {
      response.writeHead(200, { etag: `"${name}"`, 'content-length': statSync(path).size });
      createReadStream(path).pipe(response);
      return;
    }
    // A connection that was passed on may be used for texts again.
    const text = kind === 'text' ? bodies[Number.parseInt(name, 10)] : undefined;
    response.writeHead(
      text === undefined ? 404 : 200,
      text === undefined ? {} : { etag: `"${name}"`, 'content-length': text.length },
    );
    response.end(text);
  });
  const server = createListener((socket) => answerTexts(socket, answers, (other) => others.emit('connection', other)));
  serveForked(server);
}

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? '{}') as SourceContent);

import { createReadStream, statSync } from 'node:fs';
import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { createServer as createListener, type Socket } from 'node:net';
import { randomNumbers, drawText, englishWords } from './vocabulary.ts';

/** A source of files on this machine, in a process of its own. */
export interface SourceServer {
  url: string;
  stop(): void;
}

/** What it serves: so many made text files under `/text/<number>.txt`, and the named files under `/file/<name>`. */
export interface SourceContent {
  texts: number;
  wordsPerText: number;
  files: Record<string, string>;
}

/** The texts, the same wherever they are made: lines of ten words. */
export function madeTexts(count: number, words: number): string[] {
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
  const child: ChildProcess = fork(import.meta.filename, [JSON.stringify(content)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', () => reject(new Error('the source server ended')));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

/**
 * Answers the requests for texts on a connection with answers made before, and hands the connection over at any other.
 * Who serves the texts shares the processors with the program under measurement, and is to take as little of them as
 * can be.
 */
function answerTexts(socket: Socket, answers: readonly Buffer[], handOver: (socket: Socket) => void): void {
  let startedAt = '';
  const hear = (piece: Buffer): void => {
    startedAt += piece.toString('latin1');
    if (!startedAt.endsWith('\r\n\r\n')) return;
    const request = startedAt;
    startedAt = '';
    const answer = answers[Number(/^GET \/text\/(\d+)\.txt HTTP\/1\.1\r\n/.exec(request)?.[1])];
    if (answer !== undefined) {
      socket.write(answer);
      return;
    }
    socket.pause();
    socket.off('data', hear);
    socket.unshift(Buffer.from(request, 'latin1'));
    handOver(socket);
    socket.resume();
  };
  socket.setNoDelay(true);
  socket.on('data', hear);
  // A client that goes away in the middle is none of the server's concern.
  socket.on('error', () => socket.destroy());
}

function serve({ texts, wordsPerText, files }: SourceContent): void {
  const bodies = madeTexts(texts, wordsPerText).map((text) => Buffer.from(text));
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
    // A connection that was handed over may be used for texts again.
    const text = kind === 'text' ? bodies[Number.parseInt(name, 10)] : undefined;
    response.writeHead(
      text === undefined ? 404 : 200,
      text === undefined ? {} : { etag: `"${name}"`, 'content-length': text.length },
    );
    response.end(text);
  });
  const server = createListener((socket) => answerTexts(socket, answers, (other) => others.emit('connection', other)));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) process.send?.(address.port);
  });
  // It ends with the bench, however that ends.
  process.on('disconnect', () => process.exit(0));
}

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? '{}') as SourceContent);

import { createReadStream, statSync } from 'node:fs';
import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
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
    return Array.from({ length: Math.ceil(words / 10) }, (_, line) => text.slice(line * 10, line * 10 + 10).join(' ')).join('\n');
  });
}

/** Starts it and waits until it listens. */
export async function startSourceServer(content: SourceContent): Promise<SourceServer> {
  const child: ChildProcess = fork(import.meta.filename, [JSON.stringify(content)], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', () => reject(new Error('the source server ended')));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

function serve({ texts, wordsPerText, files }: SourceContent): void {
  const made = madeTexts(texts, wordsPerText);
  const server = createServer((request, response) => {
    const [, kind = '', name = ''] = (request.url ?? '').split('/');
    const path = files[name];
    if (kind === 'file' && path !== undefined) {
      response.writeHead(200, { etag: `"${name}"`, 'content-length': statSync(path).size });
      createReadStream(path).pipe(response);
      return;
    }
    const text = kind === 'text' ? made[Number.parseInt(name, 10)] : undefined;
    response.writeHead(text === undefined ? 404 : 200, text === undefined ? {} : { etag: `"${name}"`, 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) process.send?.(address.port);
  });
  // It ends with the bench, however that ends.
  process.on('disconnect', () => process.exit(0));
}

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? '{}') as SourceContent);

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { drawText, englishWords, randomNumbers } from '../../bench/vocabulary.ts';
import { forkServer, serveForked } from '../../bench/forked-server.ts';

/** A source of generated files, in a separate process. */
export interface SourceServer {
  /** Its address as seen from the program. */
  url: string;
  stop(): void;
}

const topicCount = 100;
const wordsPerTopic = 30;
/** The most frequent words belong to no topic. */
const firstOfTopics = 100;
const wordsPerPart = 200;
const topicWordsPerPart = 40;
const queryCount = 500;
const maxWords = 20_000;

/** The vocabulary of the files. */
interface Language {
  words: readonly string[];
  topics: readonly (readonly string[])[];
}

function makeLanguage(): Language {
  const words = englishWords();
  const topics = Array.from({ length: topicCount }, (_, topic) =>
    words.slice(firstOfTopics + topic * wordsPerTopic, firstOfTopics + (topic + 1) * wordsPerTopic),
  );
  return { words, topics: topics.filter(({ length }) => length === wordsPerTopic) };
}

function topicOf({ topics, words }: Language, random: () => number): readonly string[] {
  return topics[Math.floor(random() * topics.length)] ?? words;
}

/**
 * The text of a file. It depends on the name only, so it is the same at every request. Each part of 200 words has a
 * topic.
 */
function textOf(language: Language, name: string, words: number): string {
  const random = randomNumbers(createHash('sha256').update(name).digest().readUInt32LE(0));
  const parts: string[] = [];
  for (let left = words; left > 0; left -= wordsPerPart) {
    const length = Math.min(left, wordsPerPart);
    const ofTopic = Math.min(topicWordsPerPart, length);
    const part =
      `${drawText(topicOf(language, random), ofTopic, random)} ${drawText(language.words, length - ofTopic, random)}`
        .trim()
        .split(' ');
    for (let at = 0; at < part.length; at += 10) parts.push(part.slice(at, at + 10).join(' '));
  }
  return parts.join('\n');
}

/** Queries with three to seven words of a topic. */
function makeQueries(language: Language): string[] {
  const random = randomNumbers(41);
  return Array.from({ length: queryCount }, () =>
    drawText(topicOf(language, random), 3 + Math.floor(random() * 5), random),
  );
}

/** Starts the source and waits until it listens. @param host address at which it listens and is reached */
export async function startSourceServer(host = '127.0.0.1'): Promise<SourceServer> {
  const { port, stop } = await forkServer(
    import.meta.filename,
    [host],
    `the source of generated files could not listen at ${host}`,
  );
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, stop };
}

/** Serves `/text/<words>/<name>.txt` and `/queries`. */
function serve(host: string): void {
  const language = makeLanguage();
  const queries = JSON.stringify(makeQueries(language));
  const server = createServer((request, response) => {
    const [, kind = '', given = '', name = ''] = (request.url ?? '').split('/');
    const words = Number(given);
    if (kind === 'queries') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(queries);
    } else if (kind === 'text' && Number.isInteger(words) && words > 0 && words <= maxWords) {
      const text = textOf(language, name, words);
      response.writeHead(200, { etag: `"${given}-${name}"`, 'content-length': Buffer.byteLength(text) }).end(text);
    } else {
      response.writeHead(404).end();
    }
  });
  serveForked(server, host);
}

if (import.meta.main) serve(process.argv[2] ?? '127.0.0.1');

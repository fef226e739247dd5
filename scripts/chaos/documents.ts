import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A generated document with a word that no other document has. */
export interface MarkedDocument {
  name: string;
  marker: string;
  text: string;
  /** The ETag under which it is served. */
  version: string;
  url: string;
}

/** A loopback server of generated documents. */
export interface DocumentSource {
  make(words: number): MarkedDocument;
  close(): Promise<void>;
}

const vocabulary = 'archive bridge candle delta engine forest garden harbour island journey kernel ladder meadow needle orchard pencil quarry river summit timber umbrella valley window yellow zephyr'.split(' ');

/** A word of lower-case letters that nobody else makes, nor the analyser takes apart. */
function newMarker(): string {
  return `marker${[...randomBytes(10)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
}

function sentenceOf(seed: number, words: number): string {
  return Array.from({ length: words }, (_, index) => vocabulary[(seed * 7 + index * index + index) % vocabulary.length]).join(' ');
}

/** Starts a server that serves what it makes, each under its ETag. */
export async function serveDocuments(): Promise<DocumentSource> {
  const documents = new Map<string, MarkedDocument>();
  const server = createServer((request, response) => {
    const document = documents.get((request.url ?? '').slice(1));
    if (document === undefined) {
      response.statusCode = 404;
      response.end();
      return;
    }
    response.setHeader('ETag', document.version);
    response.end(document.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    make: (words) => {
      const name = `document-${documents.size + 1}.txt`;
      const marker = newMarker();
      const text = `${sentenceOf(documents.size, words / 2)} ${marker}\n${sentenceOf(documents.size + 3, words / 2)}\n`;
      const version = `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;
      const document = { name, marker, text, version, url: `http://127.0.0.1:${port}/${name}` };
      documents.set(name, document);
      return document;
    },
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

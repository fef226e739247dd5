import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recordingMilliseconds, recordingOf } from './recordings.ts';

/** A generated document, or a recording, with a word that no other has. */
export interface MarkedDocument {
  name: string;
  kind: 'document' | 'audio';
  marker: string;
  content: Uint8Array;
  /** What indexing it is charged as, once. */
  charge: { metric: 'document_megabytes' | 'audio_hours'; quantity: number };
  /** The ETag under which it is served. */
  version: string;
  url: string;
}

/** A loopback server of generated documents. */
export interface DocumentSource {
  make(words: number): MarkedDocument;
  /** Makes a recording whose word a speech server hears. */
  makeRecording(): MarkedDocument;
  /**
   * What is said in each piece of a recording, by its number from 0: its word among others, so that it is not like the
   * others.
   */
  saidIn(recording: number): string;
  close(): Promise<void>;
}

const vocabulary =
  'archive bridge candle delta engine forest garden harbour island journey kernel ladder meadow needle orchard pencil quarry river summit timber umbrella valley window yellow zephyr'.split(
    ' ',
  );

/** A word of lower-case letters that nobody else makes, nor the analyser takes apart. */
function newMarker(): string {
  return `marker${[...randomBytes(10)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
}

function sentenceOf(seed: number, words: number): string {
  return Array.from(
    { length: words },
    (_, index) => vocabulary[(seed * 7 + index * index + index) % vocabulary.length],
  ).join(' ');
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
    response.end(document.content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  const recordings: MarkedDocument[] = [];
  const keep = (document: Omit<MarkedDocument, 'version' | 'url'>): MarkedDocument => {
    const version = `"${createHash('sha256').update(document.content).digest('hex').slice(0, 32)}"`;
    const kept = { ...document, version, url: `http://127.0.0.1:${port}/${document.name}` };
    documents.set(kept.name, kept);
    return kept;
  };
  return {
    make: (words) => {
      const marker = newMarker();
      const content = Buffer.from(
        `${sentenceOf(documents.size, words / 2)} ${marker}\n${sentenceOf(documents.size + 3, words / 2)}\n`,
      );
      return keep({
        name: `document-${documents.size + 1}.txt`,
        kind: 'document',
        marker,
        content,
        charge: { metric: 'document_megabytes', quantity: content.length },
      });
    },
    makeRecording: () => {
      const recording = keep({
        name: `recording-${recordings.length + 1}.wav`,
        kind: 'audio',
        marker: newMarker(),
        content: recordingOf(recordings.length),
        charge: { metric: 'audio_hours', quantity: recordingMilliseconds },
      });
      recordings.push(recording);
      return recording;
    },
    saidIn: (recording) => `${sentenceOf(recording, 20)} ${recordings[recording]?.marker ?? 'nothing'}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recordingMilliseconds, recordingOf } from './recordings.ts';

/** A generated document or recording that contains a unique word, its marker. */
export interface MarkedDocument {
  name: string;
  kind: 'document' | 'audio';
  marker: string;
  content: Uint8Array;
  /** The usage that indexing it is counted with, once. */
  charges: { metric: 'document_megabytes' | 'audio_hours' | 'media_hours'; quantity: number }[];
  /** Its ETag. */
  version: string;
  url: string;
}

/** A loopback server of generated documents. */
export interface DocumentSource {
  make(words: number): MarkedDocument;
  /** Makes a recording whose marker the speech server returns. */
  makeRecording(): MarkedDocument;
  /**
   * The spoken text of each chunk of a recording, by its number from 0: its marker among other words, so that
   * recordings differ in meaning.
   */
  spokenTextOf(recording: number): string;
  close(): Promise<void>;
}

const vocabulary =
  'archive bridge candle delta engine forest garden harbour island journey kernel ladder meadow needle orchard pencil quarry river summit timber umbrella valley window yellow zephyr'.split(
    ' ',
  );

/** A unique word of lower-case letters that the text analyser does not split. */
function newMarker(): string {
  return `marker${[...randomBytes(10)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
}

function sentenceOf(seed: number, words: number): string {
  return Array.from(
    { length: words },
    (_, index) => vocabulary[(seed * 7 + index * index + index) % vocabulary.length],
  ).join(' ');
}

/** Starts a server of the generated documents. */
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
        charges: [{ metric: 'document_megabytes', quantity: content.length }],
      });
    },
    makeRecording: () => {
      const recording = keep({
        name: `recording-${recordings.length + 1}.wav`,
        kind: 'audio',
        marker: newMarker(),
        content: recordingOf(recordings.length),
        charges: (['audio_hours', 'media_hours'] as const).map((metric) => ({
          metric,
          quantity: recordingMilliseconds,
        })),
      });
      recordings.push(recording);
      return recording;
    },
    spokenTextOf: (recording) => `${sentenceOf(recording, 20)} ${recordings[recording]?.marker ?? 'nothing'}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

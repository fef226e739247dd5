import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recordingMilliseconds, recordingOf } from './recordings.ts';
import { framesPerFilm, slideFilmOf } from './slide-films.ts';

/** A generated document, recording or film that contains a unique word, its marker. */
export interface MarkedDocument {
  name: string;
  kind: 'document' | 'audio' | 'video';
  marker: string;
  content: Uint8Array;
  /** The usage that indexing it is counted with, once. */
  charges: { metric: 'document_megabytes' | 'audio_hours' | 'media_hours' | 'ocr_frames'; quantity: number }[];
  /** Its ETag. */
  version: string;
  url: string;
}

/** A loopback server of generated documents. */
export interface DocumentSource {
  make(words: number): MarkedDocument;
  /** Makes a recording whose marker the speech server returns. */
  makeRecording(): MarkedDocument;
  /** Makes a recording with pictures of text. */
  makeFilm(): Promise<MarkedDocument>;
  /**
   * The spoken text of each chunk of a recording, by its number from 0 (films are counted too): its marker among other
   * words, so that recordings differ in meaning.
   */
  spokenTextOf(recording: number): string;
  close(): Promise<void>;
}

const vocabulary =
  'archive bridge candle delta engine forest garden harbour island journey kernel ladder meadow needle orchard pencil quarry river summit timber umbrella valley window yellow zephyr'.split(
    ' ',
  );

const chargesOfSound = (['audio_hours', 'media_hours'] as const).map((metric) => ({
  metric,
  quantity: recordingMilliseconds,
}));

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
        charges: chargesOfSound,
      });
      recordings.push(recording);
      return recording;
    },
    makeFilm: async () => {
      const film = keep({
        name: `film-${recordings.length + 1}.mkv`,
        kind: 'video',
        marker: newMarker(),
        content: await slideFilmOf(recordings.length),
        charges: [...chargesOfSound, { metric: 'ocr_frames', quantity: framesPerFilm }],
      });
      recordings.push(film);
      return film;
    },
    spokenTextOf: (recording) => `${sentenceOf(recording, 20)} ${recordings[recording]?.marker ?? 'nothing'}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Segment, SpokenWord } from '../../models/transcript.ts';
import { readJsonLines, writeJsonLines } from '../blobs/json-lines.ts';

/**
 * Maximum length of a stored segment in UTF-16 units: a text of 20,000 characters, the maximum of a correction, with
 * six units each in escaped JSON, and the words of the segment.
 */
export const maxSegmentLength = 512 * 1024;

/**
 * Stores a transcript as JSON lines, one segment per line, atomically: readers see the old transcript or the complete
 * new one. Returns the number of bytes.
 * @throws Error for a segment longer than `maxSegmentLength`, and whatever `segments` throws; then nothing is stored.
 */
export function writeTranscript(
  blobs: Blobs,
  key: string,
  segments: AsyncIterable<Segment> | Iterable<Segment>,
): Promise<number> {
  return writeJsonLines(blobs, key, segments, maxSegmentLength);
}

/**
 * Reads a stored transcript in order, with one segment (and one piece of the store) in memory. `read` receives the
 * number of bytes read so far.
 * @throws BlobNotFound, or Error where the lines are not segments.
 */
export async function* readTranscript(
  blobs: Pick<Blobs, 'read'>,
  key: string,
  read?: (bytes: number) => void,
): AsyncGenerator<Segment> {
  for await (const lines of readJsonLines(blobs, key, maxSegmentLength, read))
    for (const line of lines) yield segmentOf(JSON.parse(line));
}

function segmentOf(value: unknown): Segment {
  if (!isObject(value)) throw notWellFormed();
  const { id, text, start, end, speaker, language, words, timingPrecision } = value;
  if (
    typeof id !== 'string' ||
    typeof text !== 'string' ||
    typeof start !== 'number' ||
    typeof end !== 'number' ||
    !isTextOrNull(speaker) ||
    !isTextOrNull(language) ||
    !Array.isArray(words) ||
    (timingPrecision !== 'word' && timingPrecision !== 'segment')
  )
    throw notWellFormed();
  return { id, text, start, end, speaker, language, words: words.map(wordOf), timingPrecision };
}

function wordOf(value: unknown): SpokenWord {
  if (!isObject(value)) throw notWellFormed();
  const { text, start, end, confidence } = value;
  if (
    typeof text !== 'string' ||
    typeof start !== 'number' ||
    typeof end !== 'number' ||
    (typeof confidence !== 'number' && confidence !== null)
  )
    throw notWellFormed();
  return { text, start, end, confidence };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isTextOrNull(value: unknown): value is string | null {
  return typeof value === 'string' || value === null;
}

function notWellFormed(): Error {
  return new Error('a stored segment is not well formed');
}

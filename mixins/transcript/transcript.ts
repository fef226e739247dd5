import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Segment, SpokenWord } from '../../models/transcript.ts';
import { readJsonLines, writeJsonLines } from '../blobs/json-lines.ts';

/**
 * UTF-16 units that a stored segment may take: a text of 20,000 characters, as long as a correction may be, spelt by
 * JSON with six for each unit, and the words of a segment beside it.
 */
export const longestSegment = 512 * 1024;

/**
 * Stores a transcript as JSON lines, one segment a line, all or none: readers see the old one or the whole new one.
 * Answers the number of bytes.
 * @throws Error for a segment longer than `longestSegment`, and whatever `segments` throws; then nothing is stored.
 */
export function writeTranscript(blobs: Blobs, key: string, segments: AsyncIterable<Segment> | Iterable<Segment>): Promise<number> {
  return writeJsonLines(blobs, key, segments, longestSegment);
}

/**
 * Reads a stored transcript in order, one segment at a time in memory (and what one piece of the store holds). `read` is
 * told how many bytes have been taken from the store so far.
 * @throws BlobNotFound, or Error where the lines are not segments.
 */
export async function* readTranscript(blobs: Pick<Blobs, 'read'>, key: string, read?: (bytes: number) => void): AsyncGenerator<Segment> {
  for await (const lines of readJsonLines(blobs, key, longestSegment, read)) for (const line of lines) yield segmentOf(JSON.parse(line));
}

function segmentOf(value: unknown): Segment {
  if (!isObject(value)) throw notWellFormed();
  const { id, text, start, end, speaker, language, words, timingPrecision } = value;
  if (typeof id !== 'string' || typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number' || !isTextOrNull(speaker) || !isTextOrNull(language)
    || !Array.isArray(words) || (timingPrecision !== 'word' && timingPrecision !== 'segment')) throw notWellFormed();
  return { id, text, start, end, speaker, language, words: words.map(wordOf), timingPrecision };
}

function wordOf(value: unknown): SpokenWord {
  if (!isObject(value)) throw notWellFormed();
  const { text, start, end, confidence } = value;
  if (typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number' || (typeof confidence !== 'number' && confidence !== null)) throw notWellFormed();
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

import { createHash } from 'node:crypto';
import { ExtractionFailure } from '../models/extraction-failure.ts';
import type { ByteFeed } from './byte-feed.ts';
import { sniffedBytes } from './containers.ts';
import { boxAt, boxHeaderBytes, movedIndex, type Box } from './mp4-boxes.ts';

/** The file changed between reading its index and reading its content. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged';
}

/** Reads a part of the file; null if parts cannot be read. */
export type ReadPart = (from: number, to: number) => Promise<Uint8Array | null>;

/** How far the beginning is searched for what comes first: index or content. */
const maxSearched = 2 ** 20;
/** Largest index that is moved. */
const largestIndex = 64 * 2 ** 20;
/** Boxes that may be between content and index. */
const maxBoxes = 64;

/**
 * The box in which an MP4's content begins, where the index comes after it; null if the file can be read in order: its
 * index comes first, or it is in fragments.
 * @throws ExtractionFailure `media_unreadable`; what the feed throws
 */
export async function contentBeforeIndex(feed: ByteFeed): Promise<Box | null> {
  let head = await feed.peek(sniffedBytes);
  for (let at = 0; ;) {
    if (at + boxHeaderBytes > head.length && head.length < maxSearched) head = await feed.peek(maxSearched);
    const box = boxAt(head, at, at);
    if (box === null || box.type === 'moov' || box.type === 'moof') return null;
    if (box.type === 'mdat') return box;
    // A box that goes to the end, and is neither: what is in the file is for ffmpeg to say.
    if (box.bytes === null) return null;
    at += box.bytes;
  }
}

/**
 * Finds the index behind the content. Null if parts of the file cannot be read.
 * @throws ExtractionFailure `media_unreadable` if there is none, or a larger one than is moved; what `read` throws
 */
async function readIndex(
  read: ReadPart,
  content: Box,
  size: number,
): Promise<{ from: number; bytes: Uint8Array } | null> {
  let box: Box | null = content;
  for (let boxes = 0; boxes < maxBoxes; boxes++) {
    const from: number = box.bytes === null ? size : box.from + box.bytes;
    if (from + 8 > size) break;
    const header = await read(from, Math.min(from + boxHeaderBytes, size));
    if (header === null) return null;
    box = boxAt(header, 0, from);
    if (box === null) break;
    if (box.type !== 'moov') continue;
    const bytes = box.bytes ?? size - from;
    if (bytes > largestIndex || from + bytes > size)
      throw new ExtractionFailure('media_unreadable', 'the index is larger than the file, or than any that is read');
    const index = await read(from, from + bytes);
    return index === null ? null : { from, bytes: index };
  }
  throw new ExtractionFailure('media_unreadable', 'there is no index');
}

/**
 * The bytes of an MP4 whose index is at its end, with the index before the content: ffmpeg can read them in order then,
 * from a pipe. The original index stays in its place, and must be met there as it was read before. Null if parts of the
 * file cannot be read.
 * @param content what `contentBeforeIndex` answered for the feed
 * @param size of the file, in bytes
 * @throws ExtractionFailure `media_unreadable`; what `read` throws; while the bytes are read, SourceChanged
 */
export async function indexFirst(
  feed: ByteFeed,
  read: ReadPart,
  content: Box,
  size: number,
): Promise<AsyncIterable<Uint8Array> | null> {
  const index = await readIndex(read, content, size);
  if (index === null) return null;
  const digest = createHash('sha256').update(index.bytes).digest('hex');
  return withIndex(feed, content.from, movedIndex(index.bytes, content.from), {
    from: index.from,
    to: index.from + index.bytes.length,
    digest,
  });
}

async function* withIndex(
  feed: ByteFeed,
  place: number,
  moved: Uint8Array,
  original: { from: number; to: number; digest: string },
): AsyncGenerator<Uint8Array, void, undefined> {
  const met = createHash('sha256');
  let at = 0;
  for await (const piece of feed) {
    const from = at;
    at += piece.byteLength;
    met.update(piece.subarray(Math.max(0, original.from - from), Math.max(0, original.to - from)));
    if (from > place || at <= place) {
      yield piece;
      continue;
    }
    if (place > from) yield piece.subarray(0, place - from);
    yield moved;
    yield piece.subarray(place - from);
  }
  if (met.digest('hex') !== original.digest) throw new SourceChanged('the index is not what was read before');
}

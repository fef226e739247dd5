import { createHash } from 'node:crypto';
import { ExtractionFailure } from '../models/extraction-failure.ts';
import type { ByteFeed } from './byte-feed.ts';
import { sniffedBytes } from './containers.ts';
import { boxAt, boxHeaderBytes, relocatedIndex, type Box } from './mp4-boxes.ts';

/** The file changed between reading its index and reading its content. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged';
}

/** Reads a byte range of the file; null if ranges are not supported. */
export type ReadPart = (from: number, to: number) => Promise<Uint8Array | null>;

/** Leading bytes that are searched for the index or the content. */
const maxSearched = 2 ** 20;
/** Largest index that is moved, in bytes. */
const largestIndex = 64 * 2 ** 20;
/** Maximum number of boxes between content and index. */
const maxBoxes = 64;

/**
 * The box with an MP4's content if the index comes after it; null if the file can be read in order, because the index
 * comes first or the file is fragmented.
 * @throws ExtractionFailure `media_unreadable`; what the feed throws
 */
export async function contentBeforeIndex(feed: ByteFeed): Promise<Box | null> {
  let head = await feed.peek(sniffedBytes);
  for (let at = 0; ;) {
    if (at + boxHeaderBytes > head.length && head.length < maxSearched) head = await feed.peek(maxSearched);
    const box = boxAt(head, at, at);
    if (box === null || box.type === 'moov' || box.type === 'moof') return null;
    if (box.type === 'mdat') return box;
    // A box of another type that extends to the end: ffmpeg decides what the file is.
    if (box.bytes === null) return null;
    at += box.bytes;
  }
}

/**
 * Finds the index after the content. Null if ranges are not supported.
 * @throws ExtractionFailure `media_unreadable` if there is no index, or it is too large; what `read` throws
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
      throw new ExtractionFailure('media_unreadable', 'the index is larger than the file, or too large to read');
    const index = await read(from, from + bytes);
    return index === null ? null : { from, bytes: index };
  }
  throw new ExtractionFailure('media_unreadable', 'there is no index');
}

/**
 * The bytes of an MP4 with its index moved in front of the content, so that ffmpeg can read it from a pipe. The
 * original index also stays in offset, and must be unchanged when the read reaches it. Null if ranges are not
 * supported.
 * @param content result of `contentBeforeIndex` for the feed
 * @param size of the file, in bytes
 * @throws ExtractionFailure `media_unreadable`; what `read` throws; SourceChanged while the bytes are read
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
  return withIndex(feed, content.from, relocatedIndex(index.bytes, content.from), {
    from: index.from,
    to: index.from + index.bytes.length,
    digest,
  });
}

async function* withIndex(
  feed: ByteFeed,
  offset: number,
  moved: Uint8Array,
  original: { from: number; to: number; digest: string },
): AsyncGenerator<Uint8Array, void, undefined> {
  const actual = createHash('sha256');
  let at = 0;
  for await (const piece of feed) {
    const from = at;
    at += piece.byteLength;
    actual.update(piece.subarray(Math.max(0, original.from - from), Math.max(0, original.to - from)));
    if (from > offset || at <= offset) {
      yield piece;
      continue;
    }
    if (offset > from) yield piece.subarray(0, offset - from);
    yield moved;
    yield piece.subarray(offset - from);
  }
  if (actual.digest('hex') !== original.digest) throw new SourceChanged('the index changed while the file was read');
}

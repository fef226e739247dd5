import { createReadStream, createWriteStream } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ExtractionFailure } from '../models/extraction-failure.ts';
import { ByteFeed } from './byte-feed.ts';
import { sniffContainer, sniffedBytes, type Container } from './containers.ts';
import { contentBeforeIndex, indexFirst, type ReadPart } from './index-first.ts';
import { TruncationDetector } from './truncation.ts';

/** The bytes of a recording. */
export interface RecordingSource {
  /** Size that the source declares; null if unknown. */
  declaredBytes: number | null;
  /** All bytes in order, once. */
  body: AsyncIterable<Uint8Array>;
  /** Bytes read from `body` so far. */
  readonly result: { bytes: number };
  /** Bytes `from` to `to` (exclusive), read independently of `body`; null if the source does not support ranges. */
  part: ReadPart;
  /** Stops the read. */
  discard(): void;
}

/** A recording whose bytes come in an order that can be decoded from a pipe. */
export interface OrderedSource {
  container: Container;
  feed: ByteFeed;
  /** Reports at the end whether the file is truncated. */
  truncation: TruncationDetector;
  /** Stops the read, in any state. */
  close(): Promise<void>;
}

async function* watched(bytes: ByteFeed, truncation: TruncationDetector): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) {
    truncation.push(piece);
    yield piece;
  }
}

/** Free disk space that a file in the work folder must leave. */
const reservedBytes = 2 ** 30;

/**
 * Detects a recording's container and returns its bytes in a decodable order. Only an MP4 with its index at the end
 * needs reordering: the index is read separately, or, if the source does not support ranges, the file is written to the
 * work folder. Either way all bytes of the source are read once and in order, so the digest is known at the end.
 * @param path of a temporary file that may be created; the caller removes it
 * @throws ExtractionFailure `media_unreadable`; SourceFailure
 */
export async function orderedSource(source: RecordingSource, filename: string, path: string): Promise<OrderedSource> {
  const body = new ByteFeed(source.body);
  const close = async (): Promise<void> => {
    source.discard();
    await body.close();
  };
  try {
    const container = sniffContainer(await body.peek(sniffedBytes), filename);
    if (container === null) throw new ExtractionFailure('media_unreadable', 'the container is not supported');
    const truncation = new TruncationDetector(container);
    const feed = new ByteFeed(watched(body, truncation));
    const content = container === 'mov' ? await contentBeforeIndex(feed) : null;
    if (content === null) return { container, feed, truncation, close };
    const size = source.declaredBytes;
    const ordered =
      size === null || content.bytes === null
        ? null
        : await indexFirst(feed, (from, to) => source.part(from, to), content, size);
    return { container, feed: new ByteFeed(ordered ?? (await throughFile(source, feed, path))), truncation, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function throughFile(from: RecordingSource, rest: ByteFeed, to: string): Promise<AsyncIterable<Uint8Array>> {
    const { bavail, bsize } = await statfs(dirname(to));
    // A transient failure: the job is retried, here or elsewhere.
    if ((from.declaredBytes ?? 0) + reservedBytes > bavail * bsize)
      throw new Error('the work folder has no room for the recording');
    await pipeline(rest, createWriteStream(to, { mode: 0o600 }));
    const whole = new ByteFeed(createReadStream(to));
    const content = await contentBeforeIndex(whole);
    if (content === null || content.bytes === null) return whole;
    const file = await open(to, 'r');
    try {
      const read = async (begin: number, end: number): Promise<Uint8Array> => {
        const { buffer, bytesRead } = await file.read(new Uint8Array(end - begin), 0, end - begin, begin);
        return buffer.subarray(0, bytesRead);
      };
      return (await indexFirst(whole, read, content, from.result.bytes)) ?? whole;
    } finally {
      await file.close();
    }
  }
}

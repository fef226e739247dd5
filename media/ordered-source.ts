import { createReadStream, createWriteStream } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ExtractionFailure } from '../models/extraction-failure.ts';
import { ByteFeed } from './byte-feed.ts';
import { sniffContainer, sniffedBytes, type Container } from './containers.ts';
import { contentBeforeIndex, indexFirst, type ReadPart } from './index-first.ts';
import { PromisedEnd } from './promised-end.ts';

/** The bytes of a recording, wherever they are stored. */
export interface RecordingSource {
  /** Size that the source declares; null if it declares none. */
  declaredBytes: number | null;
  /** All bytes in order, once. */
  body: AsyncIterable<Uint8Array>;
  /** Bytes read from `body` so far. */
  readonly result: { bytes: number };
  /** Bytes `from` to `to` (exclusive), read independently of `body`; null if the source serves no parts. */
  part: ReadPart;
  /** Stops the read. */
  discard(): void;
}

/** A recording whose bytes come in an order in which they can be decoded from a pipe. */
export interface OrderedSource {
  container: Container;
  feed: ByteFeed;
  /** Tells, when all bytes have gone by, whether the container promised more. */
  end: PromisedEnd;
  /** Ends the reading at once, in whatever state it is. */
  close(): Promise<void>;
}

async function* watched(bytes: ByteFeed, end: PromisedEnd): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) {
    end.push(piece);
    yield piece;
  }
}

/** Space that a file in the work folder leaves free. */
const spared = 2 ** 30;

/**
 * Detects a recording's container and brings its bytes in order. Only an MP4 whose index is at its end is
 * not in order: its index is read separately, or where the source serves no parts, the file goes through the work folder.
 * Either way all bytes of the source are read in order, and once: so its digest is known at the end.
 * @param path of a file that may be made; it is the caller's to remove
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
    if (container === null)
      throw new ExtractionFailure('media_unreadable', 'the content is of no container that is read');
    const end = new PromisedEnd(container);
    const feed = new ByteFeed(watched(body, end));
    const content = container === 'mov' ? await contentBeforeIndex(feed) : null;
    if (content === null) return { container, feed, end, close };
    const size = source.declaredBytes;
    const ordered =
      size === null || content.bytes === null
        ? null
        : await indexFirst(feed, (from, to) => source.part(from, to), content, size);
    return { container, feed: new ByteFeed(ordered ?? (await throughFile(source, feed, path))), end, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function throughFile(from: RecordingSource, rest: ByteFeed, to: string): Promise<AsyncIterable<Uint8Array>> {
    const { bavail, bsize } = await statfs(dirname(to));
    // Not the recording's fault: it is tried again, here or elsewhere.
    if ((from.declaredBytes ?? 0) + spared > bavail * bsize)
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

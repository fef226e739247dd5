import type { ByteFeed } from './byte-feed.ts';
import { sniffedBytes } from './containers.ts';
import { boxAt, boxHeaderBytes } from './mp4-boxes.ts';

/** A track of an MP4 or QuickTime file: its handler (`soun`, `vide`), and the formats of its samples. */
export interface Mp4Track {
  handler: string;
  samples: readonly string[];
}

/** Leading bytes that are searched for the index, and the largest index that is read. */
const maxSearched = 2 ** 20;
const largestIndex = 64 * 2 ** 20;
/** Maximum number of tracks, and of sample formats of a track. */
const maxTracks = 1000;
const maxSamples = 100;

/**
 * The tracks of a file whose index comes before its content; empty if no index can be read. ffprobe reports encrypted
 * samples by their original format (ISO/IEC 14496-12, 8.12.2), so the formats are read here. The bytes stay in the
 * feed.
 * @throws what the feed throws
 */
export async function mp4Tracks(feed: ByteFeed): Promise<Mp4Track[]> {
  try {
    const index = await indexOf(feed);
    if (index === null) return [];
    return boxesOf(index, 8, maxTracks)
      .filter(({ type }) => type === 'trak')
      .map(({ content }) => trackOf(content));
  } catch (error) {
    // A malformed box: ffprobe has already reported the file's errors.
    if (error instanceof Error && error.name === 'ExtractionFailure') return [];
    throw error;
  }
}

/** The index with its header; null if none precedes the content. */
async function indexOf(feed: ByteFeed): Promise<Uint8Array | null> {
  let head = await feed.peek(sniffedBytes);
  for (let at = 0; ;) {
    if (at + boxHeaderBytes > head.length && head.length < maxSearched) head = await feed.peek(maxSearched);
    const box = boxAt(head, at, at);
    if (box === null || box.bytes === null || box.type === 'mdat') return null;
    if (box.type === 'moov') return box.bytes > largestIndex ? null : (await feed.peek(at + box.bytes)).subarray(at);
    at += box.bytes;
  }
}

/** The child boxes after a header of `head` bytes; a truncated one ends the list. */
function boxesOf(bytes: Uint8Array, head: number, max: number): { type: string; content: Uint8Array }[] {
  const found: { type: string; content: Uint8Array }[] = [];
  for (let at = head; at < bytes.length && found.length < max;) {
    const box = boxAt(bytes, at, at);
    if (box === null) break;
    const end = at + (box.bytes ?? bytes.length - at);
    found.push({ type: box.type, content: bytes.subarray(at, Math.min(end, bytes.length)) });
    at = end;
  }
  return found;
}

function trackOf(track: Uint8Array): Mp4Track {
  const within = (bytes: Uint8Array | undefined, type: string): Uint8Array | undefined =>
    bytes === undefined ? undefined : boxesOf(bytes, 8, maxSamples).find((box) => box.type === type)?.content;
  const media = within(track, 'mdia');
  const handler = within(media, 'hdlr');
  const descriptions = within(within(within(media, 'minf'), 'stbl'), 'stsd');
  return {
    // After the header: version and flags, and in QuickTime the component type (ISO/IEC 14496-12, 8.4.3).
    handler: handler === undefined ? '' : Buffer.from(handler.subarray(16, 20)).toString('latin1'),
    // After the header: version and flags, and a count (8.5.2).
    samples: descriptions === undefined ? [] : boxesOf(descriptions, 16, maxSamples).map(({ type }) => type),
  };
}

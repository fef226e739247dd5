import type { Objects } from '../../adapters/objects/port.ts';
import type { Copy } from './copies.ts';

/** Whether a file names others by addresses relative to it: a playlist, or the index of thumbnails. */
export function namesFiles(key: string): boolean {
  return key.endsWith('.m3u8') || key.endsWith('.vtt');
}

/** Copies of playlists that are read from the store are read whole up to this size. */
const maxPlaylist = 8 * 2 ** 20;

/** A copy of a playlist whose addresses carry a query; larger ones than `maxPlaylist` stay as they are. */
export async function withQuery(objects: Objects, copy: Copy, query: string): Promise<Copy> {
  const { object } = copy;
  if (object.size === 0 || (copy.bytes === null && object.size > maxPlaylist)) return copy;
  const stored =
    copy.bytes ?? Buffer.concat(await Array.fromAsync(objects.read(object.content, { from: 0, to: object.size - 1 })));
  const rewrite = object.key.endsWith('.vtt') ? thumbnailsWith : playlistWith;
  const bytes = Buffer.from(rewrite(stored.toString('utf8'), query));
  // Its headers say its own length. An etag is that of an address with its query, so it may stay.
  return { ...copy, object: { ...object, size: bytes.length }, bytes, head: null, readers: 0, isKept: false };
}

/** An address that leads to the same host: not one with a scheme or a host of its own. */
const isRelative = (address: string): boolean => !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address);

/** Adds a query to a relative address, in front of its fragment. */
function addressWith(address: string, query: string): string {
  if (!isRelative(address)) return address;
  const mark = address.indexOf('#');
  const [path, fragment] = mark < 0 ? [address, ''] : [address.slice(0, mark), address.slice(mark)];
  return `${path}${path.includes('?') ? '&' : '?'}${query}${fragment}`;
}

/**
 * An HLS playlist (RFC 8216) whose addresses carry a query: the lines that are addresses, and the attribute URI of tags.
 */
export function playlistWith(text: string, query: string): string {
  return text.replace(/[^\r\n]+/g, (line) => {
    if (!line.startsWith('#')) return line.trim() === '' ? line : addressWith(line, query);
    if (!line.startsWith('#EXT')) return line;
    return line.replace(/([:,]URI=")([^"]*)"/g, (_, before: string, address: string) => {
      return `${before}${addressWith(address, query)}"`;
    });
  });
}

/** Thumbnails as WebVTT whose addresses carry a query: what the cues hold, which follows their times. */
export function thumbnailsWith(text: string, query: string): string {
  let isCue = false;
  const rewritten = text.split('\n').map((line) => {
    const content = line.trimEnd();
    if (content === '') isCue = false;
    else if (content.includes('-->')) isCue = true;
    else if (isCue) return `${addressWith(content, query)}${line.slice(content.length)}`;
    return line;
  });
  return rewritten.join('\n');
}

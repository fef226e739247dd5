import { frameAt, streamBehind } from './frame-headers.ts';

/** Containers of recordings that are read, by the names of ffmpeg's demuxers. */
export type Container = 'mov' | 'matroska' | 'avi' | 'wav' | 'w64' | 'flac' | 'ogg' | 'mp3' | 'aac' | 'loas' | 'mpegts';

/** Streams of frames without times: a frame is heard after those before it. */
export const untimed: ReadonlySet<Container> = new Set(['mp3', 'aac', 'loas']);

/** Bytes of a file's beginning that are enough to detect its container, unless a large tag comes first. */
export const sniffedBytes = 64 * 1024;

/** Names of boxes that an MP4 or QuickTime file begins with (ISO/IEC 14496-12, QuickTime File Format). */
const firstBoxes: ReadonlySet<string> = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp']);

const extensions: ReadonlyMap<string, Container> = new Map([
  ['.mp3', 'mp3'],
  ['.aac', 'aac'],
  ['.flac', 'flac'],
]);

function asciiAt(head: Uint8Array, at: number, length: number): string {
  return Buffer.from(head.subarray(at, at + length)).toString('latin1');
}

/** Length of an ID3v2 tag at a place, 0 if there is none. Its size is written with 7 bits a byte (id3.org, ID3v2.4). */
export function tagLength(head: Uint8Array, at: number): number {
  if (asciiAt(head, at, 3) !== 'ID3' || head.length < at + 10) return 0;
  const sizes = head.subarray(at + 6, at + 10);
  if (sizes.some((byte) => byte > 0x7f)) return 0;
  return 10 + sizes.reduce((sum, byte) => sum * 128 + byte, 0);
}

/** What a Wave64 file begins with: `riff`, as an identifier of 16 bytes. */
const wave64 = Buffer.from('726966662e91cf11a5d628db04c10000', 'hex');

/**
 * Bytes of a packet of MPEG-TS (ISO/IEC 13818-1, 2.4.3.2): plain, behind a time code as discs have it, and with error
 * correction.
 */
const packetBytes = [188, 192, 204];
/** So many packets in a row are no chance. */
const packetsInARow = 5;

/**
 * Whether packets of MPEG-TS follow each other: each with its sign, and saying that there is something in it. The first
 * may be cut off.
 */
function isTransportStream(head: Uint8Array): boolean {
  return packetBytes.some((bytes) => {
    for (let first = 0; first < bytes && first + bytes * packetsInARow <= head.length; first++) {
      let packets = 0;
      for (
        let at = first;
        packets < packetsInARow && head[at] === 0x47 && ((head[at + 3] ?? 0) & 0x30) !== 0;
        at += bytes
      )
        packets++;
      if (packets === packetsInARow) return true;
    }
    return false;
  });
}

/**
 * Tells a recording's container by the first bytes of its content; null if it is none that is read. The name decides
 * nothing: a playlist called `.mp4` is a text. Only where the content begins with a tag longer than `head` is it
 * trusted to say which stream follows.
 */
export function sniffContainer(head: Uint8Array, filename: string): Container | null {
  if (head.length >= 8 && firstBoxes.has(asciiAt(head, 4, 4))) return 'mov';
  if (asciiAt(head, 0, 4) === '\x1a\x45\xdf\xa3') return 'matroska';
  if (asciiAt(head, 0, 4) === 'OggS') return 'ogg';
  if (asciiAt(head, 0, 4) === 'RIFF' && asciiAt(head, 8, 4) === 'AVI ') return 'avi';
  if (['RIFF', 'RF64', 'BW64'].includes(asciiAt(head, 0, 4)) && asciiAt(head, 8, 4) === 'WAVE') return 'wav';
  if (Buffer.compare(head.subarray(0, wave64.length), wave64) === 0) return 'w64';
  if (isTransportStream(head)) return 'mpegts';
  let at = 0;
  for (let length = tagLength(head, at); length > 0; length = tagLength(head, at)) at += length;
  if (at >= head.length)
    return at === 0 ? null : (extensions.get(/\.[^.]*$/.exec(filename)?.[0].toLowerCase() ?? '') ?? null);
  if (asciiAt(head, at, 4) === 'fLaC') return 'flac';
  // Some encoders pad the tag further than it says.
  const padding = head.subarray(at).findIndex((byte) => byte !== 0);
  return padding < 0 ? null : (frameAt(head, at + padding) ?? streamBehind(head, at + padding));
}

import { frameAt, streamAfter } from './frame-headers.ts';

/** Supported containers, by the names of ffmpeg's demuxers. */
export type Container = 'mov' | 'matroska' | 'avi' | 'wav' | 'w64' | 'flac' | 'ogg' | 'mp3' | 'aac' | 'loas' | 'mpegts';

/** Streams of frames without timestamps: each frame plays after the one before it. */
export const untimed: ReadonlySet<Container> = new Set(['mp3', 'aac', 'loas']);

/** Leading bytes of a file that suffice to detect its container, unless a large tag precedes it. */
export const sniffedBytes = 64 * 1024;

/** Types of the first box of an MP4 or QuickTime file (ISO/IEC 14496-12, QuickTime File Format). */
const firstBoxes: ReadonlySet<string> = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp']);

const extensions: ReadonlyMap<string, Container> = new Map([
  ['.mp3', 'mp3'],
  ['.aac', 'aac'],
  ['.flac', 'flac'],
]);

function asciiAt(head: Uint8Array, at: number, length: number): string {
  return Buffer.from(head.subarray(at, at + length)).toString('latin1');
}

/** Length of the ID3v2 tag at an offset, or 0. The size has 7 bits a byte (id3.org, ID3v2.4). */
export function tagLength(head: Uint8Array, at: number): number {
  if (asciiAt(head, at, 3) !== 'ID3' || head.length < at + 10) return 0;
  const sizes = head.subarray(at + 6, at + 10);
  if (sizes.some((byte) => byte > 0x7f)) return 0;
  return 10 + sizes.reduce((sum, byte) => sum * 128 + byte, 0);
}

/** Signature of a Wave64 file: `riff`, as an identifier of 16 bytes. */
const wave64 = Buffer.from('726966662e91cf11a5d628db04c10000', 'hex');

/** Packet sizes of MPEG-TS (ISO/IEC 13818-1, 2.4.3.2): plain, with a time code as on discs, with error correction. */
const packetBytes = [188, 192, 204];
/** Consecutive packets that identify a transport stream. */
const packetsInARow = 5;

/**
 * Whether the bytes hold consecutive MPEG-TS packets, each with a sync byte and a payload or adaptation field. The
 * first one may be truncated.
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
 * Detects a recording's container by its first bytes; null if it is not supported. The filename is ignored (a playlist
 * called `.mp4` is text) unless a tag longer than `head` hides the content.
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
  // Some encoders pad the tag beyond its declared size.
  const padding = head.subarray(at).findIndex((byte) => byte !== 0);
  return padding < 0 ? null : (frameAt(head, at + padding) ?? streamAfter(head, at + padding));
}

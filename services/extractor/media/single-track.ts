import { tagLength, type Container } from './containers.ts';
import { channelsAt } from './frame-headers.ts';
import type { Probe } from './probe.ts';

/** What the head of a recording tells of its one track. */
interface Told {
  /** Length; null where it is not told. */
  seconds: number | null;
  channels: number;
}

/** Bytes of FLAC's mark, and of the block behind it that describes the stream (RFC 9639, 8.1 and 8.2). */
const flacHeadBytes = 4 + 4 + 34;

/** Place behind the ID3 tags that a file begins with. */
function behindTags(head: Uint8Array): number {
  let at = 0;
  for (let length = tagLength(head, at); length > 0; length = tagLength(head, at)) at += length;
  return at;
}

function flacTold(head: Buffer): Told | null {
  const at = behindTags(head);
  const flac = head.subarray(at, at + flacHeadBytes);
  const isDescription = flac.length === flacHeadBytes && flac.toString('latin1', 0, 4) === 'fLaC' && (flac.readUInt8(4) & 0x7f) === 0;
  if (!isDescription) return null;
  const rate = flac.readUIntBE(18, 3) >> 4;
  // 36 bits; 0 where the length was not known when the head was written.
  const samples = (flac.readUInt8(21) & 0xf) * 2 ** 32 + flac.readUInt32BE(22);
  return { seconds: rate === 0 || samples === 0 ? null : samples / rate, channels: ((flac.readUInt8(20) >> 1) & 0b111) + 1 };
}

/** Reads a WAV up to the chunk that tells its format. The length that it tells cannot be relied on. */
function wavTold(head: Buffer): Told | null {
  for (let at = 12; at + 12 <= head.length;) {
    if (head.toString('latin1', at, at + 4) === 'fmt ') return { seconds: null, channels: head.readUInt16LE(at + 10) };
    const bytes = head.readUInt32LE(at + 4);
    at += 8 + bytes + (bytes % 2);
  }
  return null;
}

/** Reads the first frame of a stream that has no container. */
function framesTold(head: Buffer): Told | null {
  const channels = channelsAt(head, behindTags(head));
  return channels === null ? null : { seconds: null, channels };
}

const readers: Partial<Readonly<Record<Container, (head: Buffer) => Told | null>>> = { wav: wavTold, flac: flacTold, mp3: framesTold, aac: framesTold };

/**
 * What a recording holds whose container has one sound track and nothing else that moves, and whose head tells it: a start
 * of ffprobe takes longer than to decode a short one. What else can be wrong with such a recording its decoder finds.
 * @param head the first bytes, as far as containers are told by them
 * @returns null where ffprobe has to be asked
 */
export function singleTrack(container: Container, head: Uint8Array): Probe | null {
  const told = readers[container]?.(Buffer.from(head.buffer, head.byteOffset, head.byteLength)) ?? null;
  if (told === null) return null;
  return { seconds: told.seconds, soundTracks: [{ isProtected: false, channels: told.channels }], defaultTrack: 0, hasVideo: false, isVideoProtected: false };
}

import { tagLength, type Container } from './containers.ts';
import { channelsAt } from './frame-headers.ts';
import { lengthInFrame } from './mp3-length.ts';
import type { Probe } from './probe.ts';

/** What the head of a recording says of its one track. */
interface Told {
  /** Length in seconds; null if it is not given. */
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
  const isDescription =
    flac.length === flacHeadBytes && flac.toString('latin1', 0, 4) === 'fLaC' && (flac.readUInt8(4) & 0x7f) === 0;
  if (!isDescription) return null;
  const rate = flac.readUIntBE(18, 3) >> 4;
  // 36 bits; 0 if the length was not known when the head was written.
  const samples = (flac.readUInt8(21) & 0xf) * 2 ** 32 + flac.readUInt32BE(22);
  return {
    seconds: rate === 0 || samples === 0 ? null : samples / rate,
    channels: ((flac.readUInt8(20) >> 1) & 0b111) + 1,
  };
}

/**
 * Reads a WAV up to its samples. What writes one into a pipe does not know their length, and says any: it is declared by
 * the bytes that there are.
 */
function wavTold(head: Buffer, fileBytes: number | null): Told | null {
  let [channels, bytesPerSecond]: [number | null, number] = [null, 0];
  for (let at = 12; at + 20 <= head.length;) {
    const name = head.toString('latin1', at, at + 4);
    const bytes = head.readUInt32LE(at + 4);
    const content = at + 8;
    if (name === 'fmt ') [channels, bytesPerSecond] = [head.readUInt16LE(content + 2), head.readUInt32LE(content + 8)];
    if (name === 'data' && channels !== null) {
      const there = fileBytes === null ? 0 : Math.min(bytes === 0 ? Infinity : bytes, fileBytes - content);
      return { seconds: there <= 0 || bytesPerSecond === 0 ? null : there / bytesPerSecond, channels };
    }
    at = content + bytes + (bytes % 2);
  }
  return channels === null ? null : { seconds: null, channels };
}

/** Reads the first frame of a stream that has no container. */
function framesTold(head: Buffer): Told | null {
  const at = behindTags(head);
  const channels = channelsAt(head, at);
  return channels === null ? null : { seconds: lengthInFrame(head, at), channels };
}

const readers: Partial<Readonly<Record<Container, (head: Buffer, fileBytes: number | null) => Told | null>>> = {
  wav: wavTold,
  flac: flacTold,
  mp3: framesTold,
  aac: framesTold,
};

/**
 * What a recording holds whose container has one sound track and nothing else that moves, and whose head describes it:
 * a start of ffprobe takes longer than to decode a short one. What else can be wrong with such a recording its decoder
 * finds.
 * @param head the first bytes, enough to detect the container
 * @param fileBytes bytes of the whole; null if they are not known
 * @returns null if ffprobe has to be asked
 */
export function singleTrack(container: Container, head: Uint8Array, fileBytes: number | null): Probe | null {
  const declared = readers[container]?.(Buffer.from(head.buffer, head.byteOffset, head.byteLength), fileBytes) ?? null;
  if (declared === null) return null;
  return {
    seconds: declared.seconds,
    soundTracks: [{ isProtected: false, channels: declared.channels }],
    defaultTrack: 0,
    hasVideo: false,
    isVideoProtected: false,
  };
}

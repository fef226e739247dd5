import { tagLength, type Container } from './containers.ts';
import { channelsAt } from './frame-headers.ts';
import { lengthInFrame } from './mp3-length.ts';
import type { Probe } from './probe.ts';

/** The header of a recording with one track. */
interface TrackHeader {
  /** Length in seconds; null if it is not declared. */
  seconds: number | null;
  channels: number;
}

/** Bytes of FLAC's signature and its STREAMINFO block (RFC 9639, 8.1 and 8.2). */
const flacHeadBytes = 4 + 4 + 34;

/** Offset after the leading ID3 tags. */
function afterTags(head: Uint8Array): number {
  let at = 0;
  for (let length = tagLength(head, at); length > 0; length = tagLength(head, at)) at += length;
  return at;
}

function readFlacHeader(head: Buffer): TrackHeader | null {
  const at = afterTags(head);
  const flac = head.subarray(at, at + flacHeadBytes);
  const isDescription =
    flac.length === flacHeadBytes && flac.toString('latin1', 0, 4) === 'fLaC' && (flac.readUInt8(4) & 0x7f) === 0;
  if (!isDescription) return null;
  const rate = flac.readUIntBE(18, 3) >> 4;
  // 36 bits; 0 means unknown.
  const samples = (flac.readUInt8(21) & 0xf) * 2 ** 32 + flac.readUInt32BE(22);
  return {
    seconds: rate === 0 || samples === 0 ? null : samples / rate,
    channels: ((flac.readUInt8(20) >> 1) & 0b111) + 1,
  };
}

/**
 * Reads a WAV up to its samples. A writer to a pipe does not know the length and declares any value, so the length is
 * limited by the file's size.
 */
function readWavHeader(head: Buffer, fileBytes: number | null): TrackHeader | null {
  let channels: number | null = null;
  let bytesPerSecond = 0;
  for (let at = 12; at + 20 <= head.length;) {
    const name = head.toString('latin1', at, at + 4);
    const bytes = head.readUInt32LE(at + 4);
    const content = at + 8;
    if (name === 'fmt ') [channels, bytesPerSecond] = [head.readUInt16LE(content + 2), head.readUInt32LE(content + 8)];
    if (name === 'data' && channels !== null) {
      const dataBytes = fileBytes === null ? 0 : Math.min(bytes === 0 ? Infinity : bytes, fileBytes - content);
      return { seconds: dataBytes <= 0 || bytesPerSecond === 0 ? null : dataBytes / bytesPerSecond, channels };
    }
    at = content + bytes + (bytes % 2);
  }
  return channels === null ? null : { seconds: null, channels };
}

/** Reads the first frame of a stream without a container. */
function readFrameHeader(head: Buffer): TrackHeader | null {
  const at = afterTags(head);
  const channels = channelsAt(head, at);
  return channels === null ? null : { seconds: lengthInFrame(head, at), channels };
}

const readers: Partial<Readonly<Record<Container, (head: Buffer, fileBytes: number | null) => TrackHeader | null>>> = {
  wav: readWavHeader,
  flac: readFlacHeader,
  mp3: readFrameHeader,
  aac: readFrameHeader,
};

/**
 * Describes a recording whose container has exactly one audio track, from its header, because starting ffprobe takes
 * longer than decoding a short recording. Other defects are found by the decoder.
 * @param head the first bytes, enough to detect the container
 * @param fileBytes size of the file; null if unknown
 * @returns null if ffprobe is needed
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

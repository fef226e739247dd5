import { tagLength, type Container } from './containers.ts';
import type { Probe } from './probe.ts';

/** Bytes of FLAC's mark, and of the block behind it that describes the stream (RFC 9639, 8.1 and 8.2). */
const flacHeadBytes = 4 + 4 + 34;

/**
 * The length that a FLAC tells, in seconds; null where the length was not known when it was written. `undefined` where
 * its description is not where it belongs, or behind more than `head` holds.
 */
function flacSeconds(head: Uint8Array): number | null | undefined {
  let at = 0;
  for (let length = tagLength(head, at); length > 0; length = tagLength(head, at)) at += length;
  const flac = Buffer.from(head.subarray(at, at + flacHeadBytes));
  const isDescription = flac.length === flacHeadBytes && flac.toString('latin1', 0, 4) === 'fLaC' && (flac.readUInt8(4) & 0x7f) === 0;
  if (!isDescription) return undefined;
  const rate = flac.readUIntBE(18, 3) >> 4;
  const samples = (flac.readUInt8(21) & 0xf) * 2 ** 32 + flac.readUInt32BE(22);
  return rate === 0 || samples === 0 ? null : samples / rate;
}

/**
 * What a recording holds whose container has one sound track and nothing else that moves: a start of ffprobe
 * takes longer than to decode a short one. Of these only FLAC tells its length to a reader that cannot go to the end of
 * the file. What else can be wrong with such a recording its decoder finds.
 * @param head the first bytes, as far as containers are told by them
 * @returns null where ffprobe has to be asked
 */
export function singleTrack(container: Container, head: Uint8Array): Probe | null {
  const seconds = secondsOf(container, head);
  return seconds === undefined ? null : { seconds, soundTracks: [{ isProtected: false }], defaultTrack: 0, hasVideo: false, isVideoProtected: false };
}

function secondsOf(container: Container, head: Uint8Array): number | null | undefined {
  switch (container) {
    case 'wav': case 'w64': case 'mp3': case 'aac': case 'loas': return null;
    case 'flac': return flacSeconds(head);
    case 'mov': case 'matroska': case 'avi': case 'ogg': case 'mpegts': return undefined;
  }
}

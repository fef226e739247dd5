import { ExtractionFailure } from '../models/extraction-failure.ts';

/** A block of decoded audio with its time. */
export interface TimedSound {
  /** Time of its first sample in the recording. */
  milliseconds: number;
  /** Samples of 16 bits, little-endian; channels are interleaved. */
  samples: Uint8Array;
}

/** Matroska elements that are read (RFC 9559, 5.1). */
const elements = {
  segment: 0x18538067,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const;
const containers: ReadonlySet<number> = new Set([elements.segment, elements.cluster, elements.blockGroup]);
const read: ReadonlySet<number> = new Set([elements.timestamp, elements.simpleBlock, elements.block]);
/** Much more than the decoder writes in one block. */
const maxBlockBytes = 2 ** 20;

/** An EBML number and its length in bytes (RFC 8794, 4); an id keeps its length marker. Null if it is incomplete. */
function numberAt(bytes: Uint8Array, at: number, keepsMark: boolean): { value: number; length: number } | null {
  const first = bytes[at];
  if (first === undefined) return null;
  const length = Math.clz32(first) - 23;
  if (length > 8) throw new ExtractionFailure('media_unreadable', "the decoder's output is not Matroska");
  if (at + length > bytes.length) return null;
  let value = keepsMark ? first : first & ((1 << (8 - length)) - 1);
  for (let index = 1; index < length; index++) value = value * 256 + (bytes[at + index] ?? 0);
  return { value, length };
}

/**
 * Reads the decoder's Matroska output, which has one track of raw samples. Each block has its time, even if the
 * recording changes its channels or sample rate.
 */
export class TimedSoundReader {
  private held: Buffer = Buffer.alloc(0);
  /** Bytes to skip before the next element. */
  private skipped = 0;
  private clusterTime = 0;

  /**
   * Returns the complete blocks.
   * @throws ExtractionFailure `media_unreadable` if the bytes are not valid
   */
  read(bytes: Uint8Array): TimedSound[] {
    this.held =
      this.held.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : Buffer.concat([this.held, bytes]);
    const sounds: TimedSound[] = [];
    let at = 0;
    for (;;) {
      const passed = Math.min(this.skipped, this.held.length - at);
      at += passed;
      this.skipped -= passed;
      const id = this.skipped > 0 ? null : numberAt(this.held, at, true);
      const size = id === null ? null : numberAt(this.held, at + id.length, false);
      if (id === null || size === null) break;
      const from = at + id.length + size.length;
      if (containers.has(id.value)) {
        at = from;
      } else if (!read.has(id.value)) {
        at = from;
        this.skipped = size.value;
      } else {
        if (size.value > maxBlockBytes)
          throw new ExtractionFailure('media_unreadable', "the decoder's output has a block that is too large");
        if (from + size.value > this.held.length) break;
        at = from + size.value;
        const content = this.held.subarray(from, at);
        if (id.value === elements.timestamp) this.clusterTime = content.reduce((time, byte) => time * 256 + byte, 0);
        else if (content.length >= 4)
          sounds.push({ milliseconds: this.clusterTime + content.readInt16BE(1), samples: content.subarray(4) });
      }
    }
    this.held = Buffer.from(this.held.subarray(at));
    return sounds;
  }
}

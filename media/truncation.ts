import { boxAt } from './mp4-boxes.ts';
import { tagLength, type Container } from './containers.ts';
import { frameAt } from './frame-headers.ts';

/**
 * The part at an offset of a file: its declared length; `more` if its header is incomplete; `end` if no length is
 * declared, or the part is not recognized.
 */
type Part = { bytes: number; isLast?: boolean } | 'more' | 'end';

/** Parses the part that begins with these bytes. `from` is its offset in the file. */
type PartReader = (head: Buffer, from: number) => Part;

/** Longest header of a part: an Ogg page with all its segments. */
const longestHead = 27 + 255;
/** Placeholder lengths of RIFF files are 0 or near these values (31 and 32 bits). */
const unknownRiff = [0x7fff_ffff, 0xffff_ffff] as const;
const near = 0x2_0000;
/** Missing bytes that are tolerated: some writers count differently. */
const toleratedBytes = 1024;
/** Maximum number of parts: counting small parts must not cost more than decoding them. */
const maxParts = 2_000_000;

/** Types of top-level MP4 boxes; anything else was appended after the last box. */
const mp4Names: ReadonlySet<string> = new Set([
  'ftyp',
  'styp',
  'moov',
  'mdat',
  'free',
  'skip',
  'wide',
  'pnot',
  'uuid',
  'moof',
  'mfra',
  'sidx',
  'ssix',
  'prft',
  'emsg',
  'meta',
  'meco',
  'udta',
  'pdin',
]);

/** Boxes of MP4 and QuickTime (ISO/IEC 14496-12, 4.2). */
const mp4Part: PartReader = (head, from) => {
  if (head.length < 8) return 'more';
  if (!mp4Names.has(head.toString('latin1', 4, 8))) return 'end';
  if (head.readUInt32BE(0) === 1 && head.length < 16) return 'more';
  try {
    const box = boxAt(head, 0, from);
    return box === null || box.bytes === null ? 'end' : { bytes: box.bytes };
  } catch {
    // Not a valid box.
    return 'end';
  }
};

/** Top-level chunks of WAV and AVI; RF64 has its length after its header (EBU Tech 3306). */
const riffPart: PartReader = (head) => {
  if (head.length < 8) return 'more';
  const type = head.toString('latin1', 0, 4);
  if (type === 'RF64' || type === 'BW64') {
    if (head.length < 28) return 'more';
    return head.toString('latin1', 12, 16) === 'ds64' ? numbered(head.readBigUInt64LE(20) + 8n) : 'end';
  }
  const bytes = head.readUInt32LE(4);
  const isKnown = bytes > 0 && unknownRiff.every((unknown) => Math.abs(bytes - unknown) > near);
  return type === 'RIFF' && isKnown ? { bytes: bytes + 8 } : 'end';
};

/** Wave64: one chunk, with the length of the whole file after its identifier of 16 bytes. */
const wave64Part: PartReader = (head) => {
  if (head.length < 24) return 'more';
  return head.toString('latin1', 0, 4) === 'riff' ? numbered(head.readBigUInt64LE(16)) : 'end';
};

function numbered(bytes: bigint): Part {
  return bytes > 24n && bytes < BigInt(Number.MAX_SAFE_INTEGER) ? { bytes: Number(bytes) } : 'end';
}

/** Top-level elements of Matroska: header, segment, void (RFC 9559, 4 and 5.1). */
const matroskaIds: ReadonlySet<string> = new Set(['1a45dfa3', '18538067', 'ec']);

/** Top-level EBML elements; the length of the segment may be unknown (RFC 8794, 4 to 6). */
const matroskaPart: PartReader = (head) => {
  if (head.length < 12) return 'more';
  const idBytes = Math.clz32(head.readUInt8(0)) - 23;
  if (!matroskaIds.has(head.toString('hex', 0, idBytes))) return 'end';
  const sizeBytes = Math.clz32(head.readUInt8(idBytes)) - 23;
  if (sizeBytes > 8) return 'end';
  let size = BigInt(head.readUInt8(idBytes)) & ((1n << BigInt(8 - sizeBytes)) - 1n);
  for (let at = 1; at < sizeBytes; at++) size = (size << 8n) | BigInt(head.readUInt8(idBytes + at));
  if (size === (1n << BigInt(7 * sizeBytes)) - 1n || size > BigInt(Number.MAX_SAFE_INTEGER)) return 'end';
  return { bytes: idBytes + sizeBytes + Number(size) };
};

/** Ogg pages (RFC 3533, 6): the last one has the end-of-stream flag. */
const oggPart: PartReader = (head) => {
  if (head.length < 27) return 'more';
  if (head.toString('latin1', 0, 4) !== 'OggS') return 'end';
  const segments = head.readUInt8(26);
  if (head.length < 27 + segments) return 'more';
  const content = head.subarray(27, 27 + segments).reduce((sum, bytes) => sum + bytes, 0);
  return { bytes: 27 + segments + content, isLast: (head.readUInt8(5) & 4) !== 0 };
};

/** Offsets of the Xing header in the first MP3 frame: after the side information of each version and channel mode. */
const infoOffsets = [36, 21, 13];

/** The tag before an MP3, and its first frame, which may declare the total length (Xing, Info, VBRI). */
const mp3Part: PartReader = (head) => {
  const tag = tagLength(head, 0);
  if (head.length < 10 || (tag === 0 && head.length < 56)) return 'more';
  if (tag > 0) return { bytes: tag };
  const at = infoOffsets.find((offset) =>
    ['Xing', 'Info', 'VBRI'].includes(head.toString('latin1', offset, offset + 4)),
  );
  if (at === undefined || frameAt(head, 0) !== 'mp3') return 'end';
  if (head.toString('latin1', at, at + 4) === 'VBRI') return { bytes: head.readUInt32BE(at + 10) };
  // Only valid if both the frames and the bytes are given.
  return (head.readUInt32BE(at + 4) & 3) === 3 ? { bytes: head.readUInt32BE(at + 12) } : 'end';
};

const readers: Partial<Readonly<Record<Container, PartReader>>> = {
  mov: mp4Part,
  wav: riffPart,
  avi: riffPart,
  w64: wave64Part,
  matroska: matroskaPart,
  ogg: oggPart,
  mp3: mp3Part,
};

/**
 * Detects a truncated recording from its bytes, in file order: a download that was cut off, a recorder that lost power.
 * Streams of frames declare no length and are never reported.
 */
export class TruncationDetector {
  private readonly part: PartReader | undefined;
  private seen = 0;
  /** Offset of the next part; null if no further length is declared. */
  private next: number | null = 0;
  private head = Buffer.alloc(0);
  private parts = 0;
  /** Whether the last part had the end-of-stream flag; null if the container has none. */
  private sawLast: boolean | null = null;

  constructor(container: Container) {
    this.part = readers[container];
  }

  /** Processes the next bytes. */
  push(bytes: Uint8Array): void {
    const from = this.seen;
    this.seen += bytes.byteLength;
    if (this.part === undefined) return;
    while (this.next !== null && this.next < this.seen) {
      const at = this.next + this.head.length - from;
      this.head = Buffer.concat([this.head, bytes.subarray(at, at + longestHead - this.head.length)]);
      const part = this.part(this.head, this.next);
      if (part === 'more' && this.head.length < longestHead) return;
      if (part === 'more' || part === 'end' || part.bytes === 0 || ++this.parts > maxParts) {
        this.next = null;
        return;
      }
      // The rest of the header may belong to the next parts.
      this.head = this.head.subarray(Math.min(part.bytes, this.head.length));
      this.next += part.bytes;
      if (part.isLast !== undefined) this.sawLast = part.isLast;
    }
  }

  /** Describes what is missing after the last byte, in one sentence; null if the file is complete. */
  missing(): string | null {
    if (this.next !== null && this.next - this.seen > toleratedBytes)
      return `The container declares ${this.next} bytes, but the file has ${this.seen}.`;
    const isWithoutEnd = this.sawLast === false && this.next !== null;
    return isWithoutEnd ? 'The file ends before the last page of its container.' : null;
  }
}

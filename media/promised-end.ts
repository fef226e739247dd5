import { boxAt } from './mp4-boxes.ts';
import { tagLength, type Container } from './containers.ts';
import { frameAt } from './frame-headers.ts';

/**
 * What is at an offset of a file: a part whose whole length is declared; `more`, where its head is not whole yet; `end`,
 * where nothing is declared that could be missing: the part goes to the end, or is none that is known.
 */
type Part = { bytes: number; isLast?: boolean } | 'more' | 'end';

/** Tells the part that begins with these bytes. `from` is its place in the file. */
type PartReader = (head: Buffer, from: number) => Part;

/** Longest head of a part: that of a page of Ogg with all its segments. */
const longestHead = 27 + 255;
/** Lengths of RIFF files that programs write before they know them are 0, or near these: 31 bits, and 32. */
const unknownRiff = [0x7fff_ffff, 0xffff_ffff] as const;
const near = 0x2_0000;
/** So many missing bytes are a writer that counts in another way, and no sound that anybody would miss. */
const forgiven = 1024;
/** A file of more parts is looked at no further: to count small ones must not cost more than to decode them. */
const maxParts = 2_000_000;

/** Names of boxes at the top of an MP4: anything else was appended after its last box. */
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
    // It is shorter than its own head: no box.
    return 'end';
  }
};

/** Chunks of WAV and AVI at the top of a file; RF64 has its length after its head (EBU Tech 3306). */
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

/** Wave64: one chunk with the length of the whole file after its name of 16 bytes. */
const wave64Part: PartReader = (head) => {
  if (head.length < 24) return 'more';
  return head.toString('latin1', 0, 4) === 'riff' ? numbered(head.readBigUInt64LE(16)) : 'end';
};

function numbered(bytes: bigint): Part {
  return bytes > 24n && bytes < BigInt(Number.MAX_SAFE_INTEGER) ? { bytes: Number(bytes) } : 'end';
}

/** Elements at the top of a Matroska file: header, segment, void (RFC 9559, 4 and 5.1). */
const matroskaIds: ReadonlySet<string> = new Set(['1a45dfa3', '18538067', 'ec']);

/** Elements of EBML at the top of a file; the length of the segment may be unknown (RFC 8794, 4 to 6). */
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

/** Pages of Ogg (RFC 3533, 6): the last one says that it is the last. */
const oggPart: PartReader = (head) => {
  if (head.length < 27) return 'more';
  if (head.toString('latin1', 0, 4) !== 'OggS') return 'end';
  const segments = head.readUInt8(26);
  if (head.length < 27 + segments) return 'more';
  const content = head.subarray(27, 27 + segments).reduce((sum, bytes) => sum + bytes, 0);
  return { bytes: 27 + segments + content, isLast: (head.readUInt8(5) & 4) !== 0 };
};

/**
 * Where the first frame of an MP3 may hold a head of its own: behind the side information of each version and channel
 * mode.
 */
const infoPlaces = [36, 21, 13];

/** The tag before an MP3, and its first frame, in which encoders write the length of all (Xing, Info, VBRI). */
const mp3Part: PartReader = (head) => {
  const tag = tagLength(head, 0);
  if (head.length < 10 || (tag === 0 && head.length < 56)) return 'more';
  if (tag > 0) return { bytes: tag };
  const at = infoPlaces.find((place) => ['Xing', 'Info', 'VBRI'].includes(head.toString('latin1', place, place + 4)));
  if (at === undefined || frameAt(head, 0) !== 'mp3') return 'end';
  if (head.toString('latin1', at, at + 4) === 'VBRI') return { bytes: head.readUInt32BE(at + 10) };
  // Frames and bytes are both given, or there is nothing to count.
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
 * Watches a recording's bytes go by, in the order of the file, and reports at their end whether the container promised
 * more: a download that was cut, a recorder that lost its power. Streams of frames promise nothing.
 */
export class PromisedEnd {
  private readonly part: PartReader | undefined;
  private seen = 0;
  /** Where the next part begins; null if nothing more is promised. */
  private next: number | null = 0;
  private head = Buffer.alloc(0);
  private parts = 0;
  /** Whether a part said of itself that it is the last; null if none says so of the others either. */
  private sawLast: boolean | null = null;

  constructor(container: Container) {
    this.part = readers[container];
  }

  /** Takes the bytes that follow. */
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
      // What was read with the head may be of the parts behind it.
      this.head = this.head.subarray(Math.min(part.bytes, this.head.length));
      this.next += part.bytes;
      if (part.isLast !== undefined) this.sawLast = part.isLast;
    }
  }

  /** What is missing, when all bytes have gone by, in a sentence; null if nothing that was promised is. */
  missing(): string | null {
    if (this.next !== null && this.next - this.seen > forgiven)
      return `Its container promises ${this.next} bytes, and there are ${this.seen}.`;
    const isWithoutEnd = this.sawLast === false && this.next !== null;
    return isWithoutEnd ? 'It ends before the page that its container calls the last one.' : null;
  }
}

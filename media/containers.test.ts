import { boxAt, relocatedIndex } from './mp4-boxes.ts';
import { sniffContainer } from './containers.ts';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

/** A packet of MPEG-TS of a size, all of it content. */
const tsPacket = (size: number): Buffer =>
  Buffer.concat([Buffer.from([0x47, 0x01, 0x00, 0x10]), Buffer.alloc(size - 4, 0x55)]);

describe('a container', () => {
  it.each([
    ['mov', bytes([0, 0, 0, 32], 'ftypisom')],
    ['mov', bytes([0, 0, 0, 8], 'wide', [0, 0, 0, 0], 'mdat')],
    ['matroska', bytes([0x1a, 0x45, 0xdf, 0xa3, 0x9f])],
    ['ogg', bytes('OggS', [0, 2])],
    ['avi', bytes('RIFF', [1, 2, 3, 4], 'AVI LIST')],
    ['wav', bytes('RIFF', [1, 2, 3, 4], 'WAVEfmt ')],
    ['wav', bytes('RF64', [255, 255, 255, 255], 'WAVEds64')],
    ['flac', bytes('fLaC', [0])],
    ['flac', bytes('ID3', [4, 0, 0, 0, 0, 0, 2], [1, 2], 'fLaC')],
    ['mp3', bytes([0xff, 0xfb, 0x90, 0x64])],
    ['mp3', bytes('ID3', [4, 0, 0, 0, 0, 0, 2], [1, 2], [0, 0, 0], [0xff, 0xf3, 0x40, 0xc0])],
    ['aac', bytes([0xff, 0xf1, 0x50, 0x80])],
    ['w64', bytes('riff', [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0, 0], [0, 0, 0, 0])],
    ['mpegts', Buffer.concat(Array.from({ length: 5 }, () => tsPacket(188)))],
    // As on a disc, beginning within a packet.
    ['mpegts', Buffer.concat([tsPacket(192).subarray(100), ...Array.from({ length: 5 }, () => tsPacket(192))])],
    // The tag is longer than the examined bytes, as with a large cover picture: the extension decides.
    ['mp3', bytes('ID3', [3, 0, 0, 0, 0x7f, 0, 0], 'APIC')],
  ])('%s is detected by its first bytes', (container, head) => {
    expect(sniffContainer(head, 'x.mp3')).toBe(container);
  });

  it.each([
    // 128 kbit/s of 44.1 kHz, with and without padding; 32 kbit/s of 16 kHz (version 2); ADTS frames of 100 bytes.
    ['mp3', 417, [0xff, 0xfb, 0x90, 0x64]],
    ['mp3', 418, [0xff, 0xfb, 0x92, 0x64]],
    ['mp3', 144, [0xff, 0xf3, 0x48, 0xc0]],
    ['aac', 100, [0xff, 0xf1, 0x50, 0x80, 0x0c, 0x80]],
    ['loas', 100, [0x56, 0xe0, 0x61]],
  ])('%s is detected if the stream begins within a frame', (container, length, header) => {
    const frames = Array.from({ length: 4 }, () =>
      bytes(
        header,
        Array.from({ length: length - header.length }, () => 0x55),
      ),
    );
    const rest = bytes([0, 0, 0x79, 0xff, 0x13, 0xff, 0xfb, 0x90, 0xff, 0xf1]);
    expect(sniffContainer(Buffer.concat([rest, ...frames]), 'x.mp3')).toBe(container);
    // Three frames are not enough.
    expect(sniffContainer(Buffer.concat([rest, ...frames.slice(1)]), 'x.mp3')).toBeNull();
  });

  it.each([
    ['a playlist', bytes('#EXTM3U\n#EXT-X-TARGETDURATION:10\n')],
    ['a list for concatenation', bytes("ffconcat version 1.0\nfile 'a'\n")],
    ['a page', bytes('<!doctype html>')],
    ['nothing', bytes('')],
    ['zeros', bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
    ['a synchronisation of no layer', bytes([0xff, 0xe0, 0xff])],
    ['a PDF', bytes('%PDF-1.7')],
  ])('is not detected in %s, whatever the filename', (_what, head) => {
    expect(sniffContainer(head, 'x.mp3')).toBeNull();
    expect(sniffContainer(head, 'x.mp4')).toBeNull();
  });
});

/** A box of the given type and content. */
function box(type: string, ...content: Uint8Array[]): Buffer {
  const inside = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + inside.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, inside]);
}

function table(type: 'stco' | 'co64', offsets: readonly number[]): Buffer {
  const width = type === 'stco' ? 4 : 8;
  const content = Buffer.alloc(8 + offsets.length * width);
  content.writeUInt32BE(offsets.length, 4);
  offsets.forEach((offset, at) =>
    width === 4 ? content.writeUInt32BE(offset, 8 + at * 4) : content.writeBigUInt64BE(BigInt(offset), 8 + at * 8),
  );
  return box(type, content);
}

const indexOf = (...tables: Buffer[]): Buffer =>
  box(
    'moov',
    box('mvhd', Buffer.alloc(20)),
    ...tables.map((each) =>
      box(
        'trak',
        box('tkhd', Buffer.alloc(4)),
        box('mdia', box('minf', box('stbl', box('stsz', Buffer.alloc(12)), each))),
      ),
    ),
  );

describe('relocating an index', () => {
  it('shifts the offsets after it by its length, as 64 bits', () => {
    const moved = Buffer.from(
      relocatedIndex(indexOf(table('stco', [10, 48, 0xfffffff0]), table('co64', [2 ** 40])), 48),
    );
    const first = moved.indexOf('co64');
    const offsets = [0, 1, 2].map((at) => Number(moved.readBigUInt64BE(first + 12 + at * 8)));
    expect(offsets).toEqual([10, 48 + moved.length, 0xfffffff0 + moved.length]);
    expect(Number(moved.readBigUInt64BE(moved.lastIndexOf('co64') + 12))).toBe(2 ** 40 + moved.length);
    expect(moved.includes('stco')).toBe(false);
    expect(boxAt(moved, 0, 0)).toEqual({ type: 'moov', from: 0, headerBytes: 8, bytes: moved.length });
  });

  it('rejects tables and boxes longer than their parent', () => {
    const counted = indexOf(table('stco', [1, 2]));
    counted.writeUInt32BE(3, counted.indexOf('stco') + 8);
    expect(() => relocatedIndex(counted, 0)).toThrow(/longer than its box/);
    const nested = indexOf(table('stco', [1]));
    nested.writeUInt32BE(1000, nested.indexOf('stbl') - 4);
    expect(() => relocatedIndex(nested, 0)).toThrow(/truncated/);
    expect(() => relocatedIndex(box('moov', box('cmov', Buffer.alloc(8))), 0)).toThrow(/compressed/);
  });
});

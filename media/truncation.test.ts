import type { Container } from './containers.ts';
import { TruncationDetector } from './truncation.ts';

const bytes = (...parts: (string | number[] | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const filler = (length: number): Buffer => Buffer.alloc(length, 0x55);

function uint(value: number, width: 4 | 8, order: 'BE' | 'LE'): Buffer {
  const number = Buffer.alloc(8);
  if (order === 'BE') number.writeBigUInt64BE(BigInt(value));
  else number.writeBigUInt64LE(BigInt(value));
  return order === 'BE' ? number.subarray(8 - width) : number.subarray(0, width);
}

const box = (type: string, length: number): Buffer => bytes(uint(length + 8, 4, 'BE'), type, filler(length));
/** A page of Ogg with one segment of 255 bytes. */
const page = (flags: number): Buffer => bytes('OggS', [0, flags], filler(20), [1, 255], filler(255));

/** Complete files, one for each container; their content is arbitrary. */
const whole: [string, Container, Buffer][] = [
  ['MP4', 'mov', bytes(box('ftyp', 24), box('moov', 3000), box('mdat', 9000))],
  [
    'MP4 with 64 bits',
    'mov',
    bytes(box('ftyp', 24), box('moov', 3000), uint(1, 4, 'BE'), 'mdat', uint(9016, 8, 'BE'), filler(9000)),
  ],
  ['WAV', 'wav', bytes('RIFF', uint(9000, 4, 'LE'), 'WAVE', filler(8996))],
  [
    'RF64',
    'wav',
    bytes('RF64', [255, 255, 255, 255], 'WAVEds64', uint(28, 4, 'LE'), uint(9028, 8, 'LE'), filler(9008)),
  ],
  [
    'AVI of two parts',
    'avi',
    bytes('RIFF', uint(5000, 4, 'LE'), filler(5000), 'RIFF', uint(6000, 4, 'LE'), filler(6000)),
  ],
  ['Wave64', 'w64', bytes(Buffer.from('726966662e91cf11a5d628db04c10000', 'hex'), uint(9000, 8, 'LE'), filler(8976))],
  [
    'Matroska',
    'matroska',
    bytes(
      [0x1a, 0x45, 0xdf, 0xa3, 0x84],
      filler(4),
      [0x18, 0x53, 0x80, 0x67, 0x01, 0, 0, 0, 0, 0, 0x23, 0x28],
      filler(9000),
    ),
  ],
  [
    'MP3',
    'mp3',
    bytes(
      'ID3',
      [4, 0, 0, 0, 0, 1, 0],
      filler(128),
      [0xff, 0xfb, 0x90, 0x64],
      Buffer.alloc(32),
      'Info',
      uint(3, 4, 'BE'),
      uint(20, 4, 'BE'),
      uint(9000, 4, 'BE'),
      filler(8948),
    ),
  ],
  ['Ogg', 'ogg', bytes(page(2), ...Array.from({ length: 30 }, () => page(0)), page(4))],
];

/** What is missing of a file that comes in pieces of the given size. */
function missing(container: Container, file: Buffer, size = 1000): string | null {
  const end = new TruncationDetector(container);
  for (let at = 0; at < file.length; at += size) end.push(file.subarray(at, at + size));
  return end.missing();
}

describe('a truncated file', () => {
  it.each(whole)('is not reported for a complete %s, even with trailing bytes', (_name, container, file) => {
    for (const size of [1, 7, 300, file.length]) expect(missing(container, file, size)).toBeNull();
    expect(missing(container, bytes(file, filler(5000)))).toBeNull();
  });

  it.each(whole)('is reported for %s', (_name, container, file) => {
    for (const size of [1, 7, 300, file.length])
      expect(missing(container, file.subarray(0, file.length - 2000), size)).toMatch(
        container === 'ogg'
          ? /last page/
          : new RegExp(`declares ${file.length} bytes, but the file has ${file.length - 2000}\\.`),
      );
  });

  it.each<[string, Container, Buffer]>([
    ['an MP4 whose content goes to the end', 'mov', bytes(box('ftyp', 24), [0, 0, 0, 0], 'mdat', filler(100))],
    ['an MP4 whose last box is shorter than its head', 'mov', bytes(box('ftyp', 24), [0, 0, 0, 4], 'mdat')],
    ['a WAV that was written into a pipe', 'wav', bytes('RIFF', [255, 255, 255, 255], 'WAVE', filler(100))],
    ['a WAV of another program', 'wav', bytes('RIFF', uint(0x7ffff000, 4, 'LE'), 'WAVE', filler(100))],
    ['an RF64 without its sizes', 'wav', bytes('RF64', [255, 255, 255, 255], 'WAVEJUNK', filler(100))],
    [
      'a live WebM',
      'matroska',
      bytes(
        [0x1a, 0x45, 0xdf, 0xa3, 0x84],
        filler(4),
        [0x18, 0x53, 0x80, 0x67, 0x01, 255, 255, 255, 255, 255, 255, 255],
        filler(100),
      ),
    ],
    ['a Matroska of zeros', 'matroska', Buffer.alloc(5000)],
    ['a stream of frames', 'aac', filler(5000)],
    ['an MP3 without its length', 'mp3', bytes([0xff, 0xfb, 0x90, 0x64], filler(5000))],
    ['nothing', 'mov', Buffer.alloc(0)],
  ])('is not reported for %s', (_what, container, file) => {
    expect(missing(container, file)).toBeNull();
  });
});

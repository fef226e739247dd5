import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import yauzl from 'yauzl';

/**
 * Bytes of the record that ends an archive, before its comment, and of the locator of zip64 before it (APPNOTE.TXT
 * 4.3.16, 4.3.15).
 */
const endRecordBytes = 22;
const locatorBytes = 20;
const longestComment = 0xffff;
const signature = 0x06054b50;
/** Marks an offset that only the zip64 record has. */
const elsewhere = 0xffffffff;

/**
 * Where an archive of so many bytes ends. That is before its last byte where something was put behind it: mail gateways
 * and uploads add line ends, and some disks fill up blocks. `at` reads bytes of it.
 */
export function endOfArchive(bytes: number, at: (position: number, length: number) => Buffer): number {
  const from = Math.max(0, bytes - endRecordBytes - locatorBytes - longestComment);
  const tail = at(from, bytes - from);
  for (let place = tail.length - endRecordBytes; place >= 0; place--) {
    if (tail.readUInt32LE(place) !== signature) continue;
    const end = from + place + endRecordBytes + tail.readUInt16LE(place + 20);
    const [size, start] = [tail.readUInt32LE(place + 12), tail.readUInt32LE(place + 16)];
    if (end <= bytes && (start === elsewhere || start + size <= from + place)) return end;
  }
  return bytes;
}

/** Reads a file for yauzl as if it ended earlier. */
export class ShortenedFile extends yauzl.RandomAccessReader {
  private readonly path: string;
  private readonly at: (position: number, length: number) => Buffer;

  /** `at` reads bytes of the file at once. */
  constructor(path: string, at: (position: number, length: number) => Buffer) {
    super();
    this.path = path;
    this.at = at;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return createReadStream(this.path, { start, end: end - 1 });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const read = this.at(position, length);
    read.copy(buffer, offset);
    callback(read.length < length ? new Error('the archive ends in the middle') : null);
  }
}

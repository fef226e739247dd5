import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import yauzl from 'yauzl';

/**
 * Sizes of the end-of-central-directory record, without its comment, and of the zip64 locator before it (APPNOTE.TXT
 * 4.3.16, 4.3.15).
 */
const endRecordBytes = 22;
const locatorBytes = 20;
const longestComment = 0xffff;
const signature = 0x06054b50;
/** Marks an offset that is only in the zip64 record. */
const zip64Offset = 0xffffffff;

/**
 * The end offset of an archive. It precedes the last byte if something was appended: mail gateways and uploads add line
 * ends, and some disks pad blocks. `at` reads bytes of it.
 */
export function endOfArchive(bytes: number, at: (position: number, length: number) => Buffer): number {
  const from = Math.max(0, bytes - endRecordBytes - locatorBytes - longestComment);
  const tail = at(from, bytes - from);
  for (let index = tail.length - endRecordBytes; index >= 0; index--) {
    if (tail.readUInt32LE(index) !== signature) continue;
    const end = from + index + endRecordBytes + tail.readUInt16LE(index + 20);
    const [size, start] = [tail.readUInt32LE(index + 12), tail.readUInt32LE(index + 16)];
    if (end <= bytes && (start === zip64Offset || start + size <= from + index)) return end;
  }
  return bytes;
}

/** Reads a file for yauzl up to a given end. */
export class ShortenedFile extends yauzl.RandomAccessReader {
  private readonly path: string;
  private readonly at: (position: number, length: number) => Buffer;

  /** `at` reads bytes of the file synchronously. */
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
    callback(read.length < length ? new Error('the archive is truncated') : null);
  }
}

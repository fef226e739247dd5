import { closeSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import yauzl from 'yauzl';
import type { Entry, Options, ZipFile } from 'yauzl';
import { chargeEntries, entryEnds, localHeaderBytes, refuseCompoundFile, refuseTight } from './archive-checks.ts';
import { endOfArchive, ShortenedFile } from './archive-end.ts';
import { foldedName, nameOf } from './archive-names.ts';
import { encrypted, ExtractionFailure, tooComplex, unreadable } from '../models/extraction-failure.ts';
import type { ExtractionLimits, SourceFile, UnpackBudget } from './reader.ts';
import { wholeSource } from './source-bytes.ts';

/** Archives up to this size are kept in memory, because many small reads of the file are slower. */
const heldBytes = 8 * 1024 * 1024;
/** Entries up to this size are unpacked synchronously, because streams cost more than the unpacking. */
const unpackedAtOnce = 4 * 1024 * 1024;
/** Largest file of an archive that is unpacked into memory. */
const heldPartBytes = 128 * 1024 * 1024;
/** Compression methods (APPNOTE.TXT 4.4.5). */
const methods = { stored: 0, deflated: 8 };

/** An open zip archive, checked against the limits. */
export interface Archive {
  /** Names of its files: forward slashes, no leading slash, as written otherwise. */
  names(): readonly string[];
  /** The name of a file as spelled in the archive, matched without case; null if there is none. */
  find(name: string): string | null;
  /** Declared unpacked size of a file. */
  size(name: string): number;
  isEncrypted(name: string): boolean;
  /** Unpacked bytes of a file in chunks. */
  read(name: string): AsyncGenerator<Buffer, void, undefined>;
  /** A file as the source of a reader; null if it is too large to be unpacked into memory. */
  source(name: string): Promise<SourceFile | null>;
  close(): void;
}

/** The bytes of an archive, in memory or in a file. */
interface ArchiveBytes {
  file: SourceFile;
  /** All bytes; null if they stay in the file. */
  held: Buffer | null;
  at(position: number, length: number): Buffer;
  close(): void;
}

/** Extra bytes to read with a local header, so that a long one seldom needs a second read. */
const headerSlack = 256;

const asFailure = (error: unknown): ExtractionFailure =>
  error instanceof ExtractionFailure
    ? error
    : unreadable(`archive: ${error instanceof Error ? error.message : String(error)}`);

async function bytesOf(file: SourceFile): Promise<ArchiveBytes> {
  if (file.content !== undefined || file.offset !== undefined || file.bytes <= heldBytes) {
    const held = await wholeSource(file);
    return { file, held, at: (position, length) => held.subarray(position, position + length), close: () => undefined };
  }
  // Small synchronous reads are faster than a round trip to a thread.
  const descriptor = openSync(file.path, 'r');
  const at = (position: number, length: number): Buffer => {
    const buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, length, position));
  };
  return { file, held: null, at, close: () => closeSync(descriptor) };
}

async function entriesOf(zip: ZipFile, limits: ExtractionLimits): Promise<Entry[]> {
  if (zip.entryCount > limits.maxArchiveEntries) throw tooComplex(`the archive has ${zip.entryCount} entries`);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    entries.push(entry);
    if (entries.length > limits.maxArchiveEntries) throw tooComplex('the archive has too many entries');
  }
  return entries;
}

/** The start of an entry's data, and the bytes from there on that were read with the header. */
function dataOf(bytes: ArchiveBytes, entry: Entry, end: number, needed: number): { start: number; data: Buffer } {
  const header = entry.relativeOffsetOfLocalHeader;
  const read = bytes.at(
    header,
    Math.min(end - header, localHeaderBytes + entry.fileNameRaw.length + needed + headerSlack),
  );
  if (read.length < localHeaderBytes || read.readUInt32LE(0) !== 0x04034b50)
    throw unreadable('a local header of the archive is missing');
  // Lengths of the name and of the extra field (APPNOTE.TXT 4.3.7).
  const length = localHeaderBytes + read.readUInt16LE(26) + read.readUInt16LE(28);
  const start = header + length;
  if (start + entry.compressedSize > end) throw tooComplex('entries of the archive overlap');
  const data = read.length >= length + needed ? read.subarray(length, length + needed) : bytes.at(start, needed);
  if (data.length < needed) throw unreadable('the archive ends within an entry');
  return { start, data };
}

/** Unpacks a small entry synchronously. */
function unpack(bytes: ArchiveBytes, entry: Entry, end: number): Buffer {
  const { data } = dataOf(bytes, entry, end, entry.compressedSize);
  const unpacked =
    entry.compressionMethod === methods.stored
      ? data
      : inflateRawSync(data, { maxOutputLength: Math.max(1, entry.uncompressedSize) });
  if (unpacked.length !== entry.uncompressedSize) throw unreadable('an entry does not have its declared size');
  return unpacked;
}

function openedAt({ file, held, at }: ArchiveBytes, end: number, options: Options): Promise<ZipFile> {
  if (held !== null) return yauzl.fromBufferPromise(held.subarray(0, end), options);
  return end === file.bytes
    ? yauzl.openPromise(file.path, options)
    : yauzl.fromRandomAccessReaderPromise(new ShortenedFile(file.path, at), end, options);
}

/**
 * Opens a zip archive.
 * @throws ExtractionFailure `document_unreadable` for anything but a zip, `document_encrypted` for a compound file or
 * an encrypted entry, `document_too_complex` past a limit; also while reading, if declared sizes are wrong.
 */
export async function openArchive(file: SourceFile, limits: ExtractionLimits): Promise<Archive> {
  await refuseCompoundFile(file);
  const options = { autoClose: false, lazyEntries: true, decodeStrings: false, validateEntrySizes: true };
  const budget = file.budget ?? { bytes: limits.maxArchiveBytes };
  const bytes = await bytesOf(file);
  let zip: ZipFile | null = null;
  try {
    zip = await openedAt(bytes, endOfArchive(file.bytes, bytes.at), options);
    const entries = await entriesOf(zip, limits);
    const ends = entryEnds(entries, file.bytes);
    chargeEntries(entries, limits, budget);
    return archiveOf(zip, bytes, ends, limits, budget);
  } catch (error) {
    zip?.close();
    bytes.close();
    throw asFailure(error);
  }
}

function archiveOf(
  zip: ZipFile,
  bytes: ArchiveBytes,
  ends: ReadonlyMap<Entry, number>,
  limits: ExtractionLimits,
  budget: UnpackBudget,
): Archive {
  const byName = new Map<string, Entry>();
  const byFoldedName = new Map<string, string>();
  for (const entry of [...ends.keys()].toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    const name = nameOf(entry);
    // Entries without a valid name cannot be requested.
    if (name === null || byName.has(name)) continue;
    byName.set(name, entry);
    if (!byFoldedName.has(foldedName(name))) byFoldedName.set(foldedName(name), name);
  }
  const named = (name: string): Entry => {
    const entry = byName.get(name);
    if (entry === undefined) throw unreadable(`the archive has no ${name}`);
    return entry;
  };
  const readable = (name: string): { entry: Entry; end: number } => {
    const entry = named(name);
    if (entry.isEncrypted()) throw encrypted(`${name} is encrypted`);
    refuseTight(entry, limits);
    return { entry, end: ends.get(entry) ?? 0 };
  };
  async function* read(name: string): AsyncGenerator<Buffer, void, undefined> {
    const { entry, end } = readable(name);
    try {
      const known = entry.compressionMethod === methods.stored || entry.compressionMethod === methods.deflated;
      if (known && entry.uncompressedSize <= unpackedAtOnce && entry.compressedSize <= unpackedAtOnce) {
        yield unpack(bytes, entry, end);
        return;
      }
      dataOf(bytes, entry, end, 0);
      for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) yield chunk;
    } catch (error) {
      throw asFailure(error);
    }
  }
  async function source(name: string): Promise<SourceFile | null> {
    const { entry, end } = readable(name);
    const { path } = bytes.file;
    if (entry.uncompressedSize > heldPartBytes) {
      if (entry.compressionMethod !== methods.stored || bytes.held !== null) return null;
      const { start } = dataOf(bytes, entry, end, 0);
      return { path, bytes: entry.uncompressedSize, offset: start, budget };
    }
    const chunks: Buffer[] = [];
    for await (const chunk of read(name)) chunks.push(chunk);
    const content = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    return { path, bytes: content.length, content, budget };
  }
  return {
    names: () => [...byName.keys()],
    find: (name) => (byName.has(name) ? name : (byFoldedName.get(foldedName(name)) ?? null)),
    size: (name) => named(name).uncompressedSize,
    isEncrypted: (name) => named(name).isEncrypted(),
    read,
    source,
    close: () => {
      zip.close();
      bytes.close();
    },
  };
}

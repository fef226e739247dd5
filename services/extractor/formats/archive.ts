import { open, readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import yauzl from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { encrypted, ExtractionFailure, tooComplex, unreadable } from './failure.ts';
import type { ExtractionLimits, SourceFile } from './reader.ts';

/** Up to this size an archive is held in memory: many small reads of the file cost more. */
const heldBytes = 8 * 1024 * 1024;
/** Entries up to this size are unpacked in one go when the archive is in memory. */
const unpackedAtOnce = 4 * 1024 * 1024;
/** Below this an entry may unpack to any multiple of its size. */
const ratioFreeBytes = 1024 * 1024;
const localHeaderBytes = 30;
/** First bytes of an OLE compound file ([MS-CFB] 2.2): what Office wraps a protected document in. */
const compoundFile = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/** An open zip archive, checked against the limits. */
export interface Archive {
  /** Names of its files: forward slashes, no leading slash, as written otherwise. */
  names(): readonly string[];
  /** The name as the archive has it of a file; letters match without case. Null when there is none. */
  find(name: string): string | null;
  /** Bytes that a file unpacks to, by its own account. */
  size(name: string): number;
  /** Unpacked bytes of a file in chunks. */
  read(name: string): AsyncGenerator<Buffer, void, undefined>;
  close(): void;
}

/** A path in an archive with forward slashes and without leading ones; null for a folder and for a path that climbs out. */
function normalName(name: string): string | null {
  const path = name.replaceAll('\\', '/').replace(/^([A-Za-z]:)?\/+/, '').replaceAll(/(^|\/)\.(?=\/)/g, '').replace(/^\/+/, '');
  return path === '' || path.endsWith('/') || path.split('/').includes('..') ? null : path;
}

/** Entries whose bytes overlap unpack the same bytes again and again (Fifield, "A better zip bomb", 2019). */
function refuseOverlaps(entries: readonly Entry[]): void {
  const ordered = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let end = 0;
  for (const entry of ordered) {
    if (entry.relativeOffsetOfLocalHeader < end) throw tooComplex('entries of the archive overlap');
    end = entry.relativeOffsetOfLocalHeader + localHeaderBytes + entry.fileNameRaw.length + entry.compressedSize;
  }
}

function refuseBombs(entries: readonly Entry[], limits: ExtractionLimits): void {
  let total = 0;
  for (const entry of entries) {
    total += entry.uncompressedSize;
    if (entry.uncompressedSize > limits.maxEntryBytes) throw tooComplex(`an entry of the archive has ${entry.uncompressedSize} bytes`);
    if (entry.uncompressedSize > ratioFreeBytes && entry.uncompressedSize > entry.compressedSize * limits.maxArchiveRatio) throw tooComplex('an entry of the archive is packed too tightly');
  }
  if (total > limits.maxArchiveBytes) throw tooComplex(`the archive unpacks to ${total} bytes`);
}

async function refuseOther(file: SourceFile): Promise<void> {
  const handle = await open(file.path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    if (bytesRead === 8 && buffer.equals(compoundFile)) throw encrypted('a compound file: a protected document, or one of an older format');
  } finally {
    await handle.close();
  }
}

const asFailure = (error: unknown): ExtractionFailure =>
  error instanceof ExtractionFailure ? error : unreadable(`archive: ${error instanceof Error ? error.message : String(error)}`);

async function entriesOf(zip: ZipFile, limits: ExtractionLimits): Promise<Entry[]> {
  if (zip.entryCount > limits.maxArchiveEntries) throw tooComplex(`the archive has ${zip.entryCount} entries`);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    entries.push(entry);
    if (entries.length > limits.maxArchiveEntries) throw tooComplex('the archive has too many entries');
  }
  refuseOverlaps(entries);
  refuseBombs(entries, limits);
  return entries;
}

/** A small deflated entry of an archive in memory; null for others. Streams cost more than the unpacking itself. */
function unpackAtOnce(archive: Buffer, entry: Entry): Buffer | null {
  const header = entry.relativeOffsetOfLocalHeader;
  if (entry.compressionMethod !== 8 || entry.uncompressedSize > unpackedAtOnce || header + localHeaderBytes > archive.length) return null;
  if (archive.readUInt32LE(header) !== 0x04034b50) throw unreadable('no local header where the archive names one');
  // Lengths of the name and of the extra field (APPNOTE.TXT 4.3.7).
  const start = header + localHeaderBytes + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const bytes = inflateRawSync(archive.subarray(start, start + entry.compressedSize), { maxOutputLength: Math.max(1, entry.uncompressedSize) });
  if (bytes.length !== entry.uncompressedSize) throw unreadable('an entry unpacks to another size than it says');
  return bytes;
}

/**
 * Opens a zip archive.
 *
 * @throws ExtractionFailure `document_unreadable` for what is no zip, `document_encrypted` for a compound file or an
 * encrypted entry, `document_too_complex` past a limit; while reading too, when sizes were a lie.
 */
export async function openArchive(file: SourceFile, limits: ExtractionLimits): Promise<Archive> {
  await refuseOther(file);
  const options = { autoClose: false, lazyEntries: true, decodeStrings: false, validateEntrySizes: true };
  let zip: ZipFile | null = null;
  try {
    const held = file.bytes <= heldBytes ? await readFile(file.path) : null;
    zip = held !== null ? await yauzl.fromBufferPromise(held, options) : await yauzl.openPromise(file.path, options);
    const byName = new Map<string, Entry>();
    const byLowerName = new Map<string, string>();
    for (const entry of await entriesOf(zip, limits)) {
      const name = normalName(yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false));
      // What has no proper name is never asked for.
      if (name === null || byName.has(name)) continue;
      byName.set(name, entry);
      if (!byLowerName.has(name.toLowerCase())) byLowerName.set(name.toLowerCase(), name);
    }
    return archiveOf(zip, held, byName, byLowerName);
  } catch (error) {
    zip?.close();
    throw asFailure(error);
  }
}

function archiveOf(zip: ZipFile, held: Buffer | null, byName: ReadonlyMap<string, Entry>, byLowerName: ReadonlyMap<string, string>): Archive {
  const entryOf = (name: string): Entry => {
    const entry = byName.get(name);
    if (entry === undefined) throw unreadable(`the archive has no ${name}`);
    if (entry.isEncrypted()) throw encrypted(`${name} is encrypted`);
    return entry;
  };
  async function* read(name: string): AsyncGenerator<Buffer, void, undefined> {
    const entry = entryOf(name);
    try {
      const whole = held === null ? null : unpackAtOnce(held, entry);
      if (whole !== null) { yield whole; return; }
      for await (const chunk of await zip.openReadStreamPromise(entry) as AsyncIterable<Buffer>) yield chunk;
    } catch (error) {
      throw asFailure(error);
    }
  }
  return {
    names: () => [...byName.keys()],
    find: (name) => byName.has(name) ? name : byLowerName.get(name.toLowerCase()) ?? null,
    size: (name) => entryOf(name).uncompressedSize,
    read,
    close: () => zip.close(),
  };
}

import type { SourceBytes } from './source-bytes.ts';
import { openSource } from './source-bytes.ts';
import type { SourceFile } from './reader.ts';

/**
 * Sizes of a compound file's header and directory entries, and the number of table sectors that the header names
 * ([MS-CFB] 2.2, 2.6).
 */
const headerBytes = 512;
const entryBytes = 128;
const namedTableSectors = 109;
/** Maximum number of directory sectors that are read. A protected document has a dozen entries. */
const maxSectors = 64;
/** Streams of an encrypted Office document ([MS-OFFCRYPTO] 2.3.4.4, 2.3.4.5). Names match without case. */
const protectedStreams = new Set(['encryptedpackage', 'encryptioninfo']);

/** The name of a directory entry ([MS-CFB] 2.6.1): null-terminated UTF-16, followed by its length in bytes. */
function nameOfEntry(entry: Buffer): string {
  return entry.toString('utf16le', 0, Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2)).toLowerCase();
}

async function bytesAt(source: SourceBytes, size: number, position: number, length: number): Promise<Buffer> {
  if (position >= size) return Buffer.alloc(0);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await source.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/**
 * Whether a compound file holds an encrypted Office document, by the names in its directory; false for a broken file.
 */
export async function isProtectedDocument(file: SourceFile): Promise<boolean> {
  const source = await openSource(file);
  try {
    const header = await bytesAt(source, file.bytes, 0, headerBytes);
    if (header.length < headerBytes) return false;
    const sectorBytes = header.readUInt16LE(30) === 12 ? 4096 : 512;
    const offsetOf = (sector: number): number => (sector + 1) * sectorBytes;
    /** The next sector in the allocation table; null if the header does not name that part of the table. */
    const after = async (sector: number): Promise<number | null> => {
      const perSector = sectorBytes / 4;
      const part = Math.floor(sector / perSector);
      if (part >= namedTableSectors) return null;
      const entry = await bytesAt(
        source,
        file.bytes,
        offsetOf(header.readUInt32LE(76 + part * 4)) + (sector % perSector) * 4,
        4,
      );
      return entry.length < 4 ? null : entry.readUInt32LE(0);
    };
    let sector: number | null = header.readUInt32LE(48);
    for (let seen = 0; seen < maxSectors && sector !== null; seen++) {
      const entries = await bytesAt(source, file.bytes, offsetOf(sector), sectorBytes);
      for (let at = 0; at + entryBytes <= entries.length; at += entryBytes)
        if (protectedStreams.has(nameOfEntry(entries.subarray(at, at + entryBytes)))) return true;
      if (entries.length < sectorBytes) return false;
      sector = await after(sector);
    }
    return false;
  } finally {
    await source.close();
  }
}

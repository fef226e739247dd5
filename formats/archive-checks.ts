import type { Entry } from 'yauzl';
import { isProtectedDocument } from './compound-file.ts';
import { encrypted, tooComplex, unreadable } from '../models/extraction-failure.ts';
import type { ExtractionLimits, SourceFile, UnpackBudget } from './reader.ts';
import { startOf } from './source-bytes.ts';

/** Bytes of a local header before the name (APPNOTE.TXT 4.3.7). */
export const localHeaderBytes = 30;
/** Below this an entry may unpack to any multiple of its size. */
const ratioFreeBytes = 1024 * 1024;
/** Pictures without compression of their own: an empty one packs to a thousandth of its size, and none is read. */
const rawPicture = /\.(emf|wmf|bmp|dib|tiff?)$/i;
/** First bytes of an OLE compound file ([MS-CFB] 2.2): what Office wraps a protected document in. */
const compoundFile = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/**
 * Where each entry has to end at the latest: where the next one begins. Entries whose bytes overlap unpack the same
 * bytes again and again (Fifield, "A better zip bomb", 2019); how long a local header really is, and with it where
 * data begin, is known only when it is read, so reading looks at this again.
 *
 * @throws ExtractionFailure `document_too_complex` when entries overlap by the archive's own account.
 */
export function entryEnds(entries: readonly Entry[], bytes: number): Map<Entry, number> {
  const ordered = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  const ends = new Map<Entry, number>();
  ordered.forEach((entry, at) => {
    const next = ordered[at + 1]?.relativeOffsetOfLocalHeader ?? bytes;
    if (
      at + 1 < ordered.length &&
      entry.relativeOffsetOfLocalHeader + localHeaderBytes + entry.fileNameRaw.length + entry.compressedSize > next
    )
      throw tooComplex('entries of the archive overlap');
    ends.set(entry, next);
  });
  return ends;
}

/**
 * Refuses an entry that unpacks to too many times its size.
 *
 * @throws ExtractionFailure `document_too_complex`.
 */
export function refuseTight({ uncompressedSize, compressedSize }: Entry, { maxArchiveRatio }: ExtractionLimits): void {
  if (uncompressedSize > ratioFreeBytes && uncompressedSize > compressedSize * maxArchiveRatio)
    throw tooComplex('an entry of the archive is packed too tightly');
}

/**
 * Takes what an archive says that it unpacks to from what may still be unpacked.
 *
 * @throws ExtractionFailure `document_too_complex` past a limit.
 */
export function chargeEntries(entries: readonly Entry[], limits: ExtractionLimits, budget: UnpackBudget): void {
  for (const entry of entries) {
    const { uncompressedSize, fileNameRaw } = entry;
    if (uncompressedSize > limits.maxEntryBytes)
      throw tooComplex(`an entry of the archive has ${uncompressedSize} bytes`);
    if (!rawPicture.test(fileNameRaw.toString('latin1'))) refuseTight(entry, limits);
    budget.bytes -= uncompressedSize;
    if (budget.bytes < 0) throw tooComplex(`the archive unpacks to more than ${limits.maxArchiveBytes} bytes`);
  }
}

/**
 * Refuses what is an Office document and no archive: a protected one, or one of an older format under a new name.
 *
 * @throws ExtractionFailure `document_encrypted`, `document_unreadable`.
 */
export async function refuseCompoundFile(file: SourceFile): Promise<void> {
  if (!compoundFile.equals(await startOf(file, compoundFile.length))) return;
  throw (await isProtectedDocument(file))
    ? encrypted('a protected Office document')
    : unreadable('a compound file: an Office document of an older format');
}

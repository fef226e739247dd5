import type { Entry } from 'yauzl';
import { isProtectedDocument } from './compound-file.ts';
import { encrypted, tooComplex, unreadable } from '../models/extraction-failure.ts';
import type { ExtractionLimits, SourceFile, UnpackBudget } from './reader.ts';
import { startOf } from './source-bytes.ts';

/** Bytes of a local header before the name (APPNOTE.TXT 4.3.7). */
export const localHeaderBytes = 30;
/** Entries smaller than this may have any compression ratio. */
const ratioFreeBytes = 1024 * 1024;
/** Uncompressed picture formats: an empty one compresses a thousandfold, and none is read. */
const rawPicture = /\.(emf|wmf|bmp|dib|tiff?)$/i;
/** Signature of an OLE compound file ([MS-CFB] 2.2), which holds a protected Office document. */
const compoundFile = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/**
 * The upper bound of each entry's end: the start of the next one. Overlapping entries unpack the same bytes again and
 * again (Fifield, "A better zip bomb", 2019). The true length of a local header, and so the start of the data, is known
 * only when it is read, so reading checks again.
 * @throws ExtractionFailure `document_too_complex` if entries overlap by the archive's own directory.
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
 * Rejects an entry whose compression ratio is too high.
 * @throws ExtractionFailure `document_too_complex`.
 */
export function refuseTight({ uncompressedSize, compressedSize }: Entry, { maxArchiveRatio }: ExtractionLimits): void {
  if (uncompressedSize > ratioFreeBytes && uncompressedSize > compressedSize * maxArchiveRatio)
    throw tooComplex('an entry of the archive is packed too tightly');
}

/**
 * Deducts the declared unpacked size of all entries from the budget.
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
 * Rejects compound files: protected documents, and older Office formats with a new file extension.
 * @throws ExtractionFailure `document_encrypted`, `document_unreadable`.
 */
export async function refuseCompoundFile(file: SourceFile): Promise<void> {
  if (!compoundFile.equals(await startOf(file, compoundFile.length))) return;
  throw (await isProtectedDocument(file))
    ? encrypted('a protected Office document')
    : unreadable('a compound file: an Office document of an older format');
}

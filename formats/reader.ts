import type { Warning } from '../models/asset.ts';
import type { Block } from '../models/block.ts';
import type { DocumentFormat } from '../models/formats.ts';

/** Formats with a reader; presentations are only read within packages. */
export type ReadableFormat = DocumentFormat | 'presentation';

/** A local file, or a file within one. */
export interface SourceFile {
  path: string;
  /** Its size. */
  bytes: number;
  /** Its bytes if they are in memory, as for a file unpacked from an archive. */
  content?: Buffer;
  /** Its offset in the file at `path`, for a file stored in an archive without compression. */
  offset?: number;
  /** The remaining unpack budget of the enclosing archives. */
  budget?: UnpackBudget;
}

/** Bytes that may still be unpacked; nested archives share it. */
export interface UnpackBudget {
  bytes: number;
}

/**
 * Limits of a file; above them reading fails with `document_too_complex`. Memory and time are limited by the process.
 */
export interface ExtractionLimits {
  /** Pages of a PDF. */
  maxPdfPages: number;
  /** Entries of an archive. */
  maxArchiveEntries: number;
  /** Unpacked bytes of all entries, including those of nested archives. */
  maxArchiveBytes: number;
  /** Unpacked bytes of one entry. */
  maxEntryBytes: number;
  /** Compression ratio of an entry; checked above 1 MiB unpacked. */
  maxArchiveRatio: number;
}

/** The limits unless the deployment configures others. */
export const defaultLimits: ExtractionLimits = {
  maxPdfPages: 5000,
  maxArchiveEntries: 10_000,
  maxArchiveBytes: 2 * 1024 ** 3,
  maxEntryBytes: 512 * 1024 ** 2,
  maxArchiveRatio: 200,
};

/** Reports the share of the file that has been read, 0 to 1. */
export type ReportShare = (share: number) => void;

/** Reports a part of a file that could not be read. */
export type ReportWarning = (warning: Warning) => void;

/**
 * Reads one format. Blocks come in file order.
 * @throws ExtractionFailure for a file that cannot be read; any other error is a crash of the reader
 */
export type FormatReader = (
  file: SourceFile,
  limits: ExtractionLimits,
  report: ReportShare,
  warn?: ReportWarning,
) => AsyncIterable<Block>;

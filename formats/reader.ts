import type { Warning } from '../models/asset.ts';
import type { Block } from '../models/block.ts';
import type { DocumentFormat } from '../models/formats.ts';

/** Formats that there is a reader for: presentations are read inside of packages only. */
export type ReadableFormat = DocumentFormat | 'presentation';

/** A local file to read, or a file inside of one. */
export interface SourceFile {
  path: string;
  /** Its size. */
  bytes: number;
  /** Its bytes, where they are in memory already: a file that was unpacked from an archive. */
  content?: Buffer;
  /** Where it begins in the file at `path`: a file that lies in an archive as it is. */
  offset?: number;
  /** What the archives around it leave for it to unpack. */
  budget?: UnpackBudget;
}

/** Bytes that may still be unpacked; archives within an archive share it. */
export interface UnpackBudget {
  bytes: number;
}

/**
 * What a file may take before reading it ends with `document_too_complex`. Memory and time are the process's limits.
 */
export interface ExtractionLimits {
  /** Pages of a PDF. */
  maxPdfPages: number;
  /** Entries of an archive. */
  maxArchiveEntries: number;
  /** Unpacked bytes of all entries together, those of archives inside included. */
  maxArchiveBytes: number;
  /** Unpacked bytes of one entry. */
  maxEntryBytes: number;
  /** Unpacked to packed size of an entry; looked at once an entry unpacks to more than 1 MiB. */
  maxArchiveRatio: number;
}

/** The limits that hold where the deployment says nothing else. */
export const defaultLimits: ExtractionLimits = {
  maxPdfPages: 5000,
  maxArchiveEntries: 10_000,
  maxArchiveBytes: 2 * 1024 ** 3,
  maxEntryBytes: 512 * 1024 ** 2,
  maxArchiveRatio: 200,
};

/** Reports from time to time the share of the file that it has read, 0 to 1. */
export type ReportShare = (share: number) => void;

/** Reports what could not be read of a file that is read otherwise. */
export type ReportWarning = (warning: Warning) => void;

/**
 * Reads one format. Blocks come in the order of the file. Throws an ExtractionFailure for a file that cannot be
 * read; any other error means that the file broke the reader.
 */
export type FormatReader = (
  file: SourceFile,
  limits: ExtractionLimits,
  report: ReportShare,
  warn?: ReportWarning,
) => AsyncIterable<Block>;

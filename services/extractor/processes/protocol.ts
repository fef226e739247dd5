import type { Warning } from '../../../models/asset.ts';
import type { JobErrorCode } from '../../../models/errors.ts';
import type { ExtractionLimits, ReadableFormat } from '../../../formats/reader.ts';

/** A request of the parent, one JSON line on the child's standard input. */
export interface ReadRequest {
  path: string;
  bytes: number;
  /** The whole file in base64, if it is small; then `path` does not exist. */
  content?: string;
  format: ReadableFormat;
  limits: ExtractionLimits;
}

/**
 * Blocks in the order of the file, and the percentage of the file read when they were sent. The blocks themselves
 * follow the message, one JSON line each as they are stored: so the parent hands them on as they are.
 */
export interface BatchMessage {
  kind: 'batch';
  /** How many they are. */
  blocks: number;
  /** UTF-16 units of their texts. */
  characters: number;
  /** Length of their lines. */
  bytes: number;
  progress: number;
  /** What could not be read of a file that is read otherwise. */
  warnings: Warning[];
}

/** The next step of a file has begun that is read step by step (`readsInSteps`). */
export interface StepMessage {
  kind: 'step';
}

/** The end of a file. `failure` is null if all of it was read. */
export interface EndMessage {
  kind: 'end';
  failure: { code: JobErrorCode; message: string } | null;
  /** False when the file broke the reader: the child is not used again. */
  healthy: boolean;
  /** Seconds of processor time that the child has used since it started. */
  cpuSeconds: number;
  /** Resident memory of the child, in bytes. */
  memoryBytes: number;
}

/** An answer of the child, one JSON line on its descriptor 3, followed by the lines of a batch. */
export type ChildMessage = BatchMessage | StepMessage | EndMessage;

/** The child's descriptor for its answers: standard output stays free for what libraries print. */
export const answerDescriptor = 3;

/**
 * A batch is sent when its texts reach this many UTF-16 units, or its blocks this number: what the parent stores in
 * one piece.
 */
export const batchLimits = { characters: 64 * 1024, blocks: 1024 };

/**
 * Whether a format's reader reports steps, none of which takes long in an honest file: the pages of a PDF. One page
 * that is made to keep its reader busy is then distinguished from many that are honest.
 */
export function readsInSteps(format: ReadableFormat): boolean {
  return format === 'pdf';
}

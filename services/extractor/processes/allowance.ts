import { readFileSync } from 'node:fs';

/** Length of a clock tick in seconds: 100 a second on every Linux that Node runs on (proc(5)). */
const tickSeconds = 0.01;
const mebibyte = 1024 * 1024;

/**
 * What processor time a file may take, in seconds: the limit grows with how much there is to read.
 */
export interface Allowance {
  /** For any file, however small; and for a step of a file that is read step by step, such as a page of a PDF. */
  start: number;
  /** For each MiB of the file. */
  perMebibyte: number;
  /** For each thousand characters of text that have come of it. */
  perThousandCharacters: number;
}

/**
 * Ten times what honest files take, and more: the slowest format yields 180,000 characters a second. A small file that
 * is made to keep its reader busy ends soon, and a large one is still read on a slow machine.
 */
export const defaultAllowance: Allowance = { start: 20, perMebibyte: 0.75, perThousandCharacters: 0.05 };

/** Seconds that a file of so many bytes may have taken when so many characters came of it. */
export function allowedSeconds(
  { start, perMebibyte, perThousandCharacters }: Allowance,
  bytes: number,
  characters: number,
): number {
  return start + (bytes / mebibyte) * perMebibyte + (characters / 1000) * perThousandCharacters;
}

/**
 * Processor time of a process with all its threads, in seconds, from `/proc/<pid>/stat` (proc(5)); null if there is
 * none. The system answers out of its memory: asked at once it takes a sixth of what it takes by way of other threads.
 */
export function processorSeconds(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickSeconds;
  } catch {
    // No such system, or the process has just ended.
    return null;
  }
}

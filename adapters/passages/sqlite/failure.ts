import type { Failure } from './messages.ts';

/**
 * SQLite's primary result codes for a file that is temporarily unusable: busy, locked, I/O, full, cannot open.
 */
const unavailableCodes = new Set([5, 6, 10, 13, 14]);

/** A thread's error as plain data. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const code = typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  return { message, unavailable: unavailableCodes.has(code) };
}

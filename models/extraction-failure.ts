import type { JobErrorCode } from './errors.ts';

/** A file that cannot be read, with the error code of its job. `message` is only logged. */
export class ExtractionFailure extends Error {
  readonly code: JobErrorCode;

  constructor(code: JobErrorCode, message: string) {
    super(message);
    this.name = 'ExtractionFailure';
    this.code = code;
  }
}

/** The failure of a file that is broken or not in the format of its extension. */
export function unreadable(message: string): ExtractionFailure {
  return new ExtractionFailure('document_unreadable', message);
}

/**
 * Whether a reader's error means that a file, or a part of it, is broken. Other parts may still be readable.
 */
export function isUnreadable(error: unknown): error is ExtractionFailure {
  return error instanceof ExtractionFailure && error.code === 'document_unreadable';
}

/** The failure of a file that passes a limit. */
export function tooComplex(message: string): ExtractionFailure {
  return new ExtractionFailure('document_too_complex', message);
}

/** The failure of a file that is protected with a password. */
export function encrypted(message: string): ExtractionFailure {
  return new ExtractionFailure('document_encrypted', message);
}

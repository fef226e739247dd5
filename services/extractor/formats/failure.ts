import type { JobErrorCode } from '../../../models/errors.ts';

/** A file that cannot be read, with the code that its job ends with. `message` is for the log alone. */
export class ExtractionFailure extends Error {
  readonly code: JobErrorCode;

  constructor(code: JobErrorCode, message: string) {
    super(message);
    this.name = 'ExtractionFailure';
    this.code = code;
  }
}

/** The failure of a file that is broken or not of the format that its name says. */
export function unreadable(message: string): ExtractionFailure {
  return new ExtractionFailure('document_unreadable', message);
}

/** Whether what a reader threw says so of a file, or of a part of one, beside which the others may be read all the same. */
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

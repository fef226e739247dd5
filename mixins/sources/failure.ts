import type { JobErrorCode } from '../../models/errors.ts';
import type { RequestFailure } from '../guarded-client/failure.ts';

/** The consequence of a failed read: the job fails, is retried, or waits for a valid address. */
export type SourceOutcome = 'definite' | 'temporary' | 'access';

/** Error codes of jobs whose read failed. */
export type SourceFailureCode = Extract<
  JobErrorCode,
  | 'source_version_changed'
  | 'source_too_large'
  | 'source_unreachable'
  | 'source_access_denied'
  | 'source_host_not_allowed'
  | 'source_callback_refused'
  | 'source_access_mismatch'
  | 'ambiguous_source_credentials'
  | 'callback_not_configured'
>;

const outcomes: Readonly<Record<SourceFailureCode, SourceOutcome>> = {
  source_version_changed: 'definite',
  source_too_large: 'definite',
  source_host_not_allowed: 'definite',
  source_unreachable: 'temporary',
  source_access_denied: 'access',
  source_callback_refused: 'temporary',
  source_access_mismatch: 'temporary',
  ambiguous_source_credentials: 'temporary',
  callback_not_configured: 'access',
};

/** Why a source could not be read. Callers check `name`, `code` and `outcome`. */
export class SourceFailure extends Error {
  readonly code: SourceFailureCode;
  readonly outcome: SourceOutcome;
  constructor(code: SourceFailureCode, detail: string, options?: { cause: unknown }) {
    super(detail, options);
    this.name = 'SourceFailure';
    this.code = code;
    this.outcome = outcomes[code];
  }
}

/** The error as a SourceFailure; null for every other error. */
export function sourceFailureOf(error: unknown): SourceFailure | null {
  return error instanceof SourceFailure ? error : null;
}

/** Maps a failed request to the failure of the read. An aborted request is returned unchanged. */
export function sourceFailureFrom(failure: RequestFailure): SourceFailure | RequestFailure {
  switch (failure.reason) {
    case 'aborted':
      return failure;
    case 'refused':
      return new SourceFailure('source_host_not_allowed', failure.message, { cause: failure });
    case 'too_large':
      return new SourceFailure('source_too_large', failure.message, { cause: failure });
    default:
      return new SourceFailure('source_unreachable', failure.message, { cause: failure });
  }
}

/** Maps a status to the failure of the read; null for 200 and 206. */
export function failureOfStatus(status: number): SourceFailure | null {
  if (status === 200 || status === 206) return null;
  if (status === 412) return new SourceFailure('source_version_changed', 'the source has another version by now (412)');
  // Expired and malformed signatures may also cause 400 and similar statuses, which a new address resolves.
  const temporary =
    status >= 500 || status < 300 || status === 408 || status === 416 || status === 425 || status === 429;
  return new SourceFailure(temporary ? 'source_unreachable' : 'source_access_denied', `the source answered ${status}`);
}

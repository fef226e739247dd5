import { jobErrorCodes, type JobErrorCode } from '../../models/errors.ts';

/** What follows from a failed stage: never again, again later, or when somebody gives access to the source. */
export type FailureOutcome = 'definite' | 'temporary' | 'access';

/** Why a stage could not be done, as the run's record tells it. */
export interface StageFailure {
  code: JobErrorCode;
  outcome: FailureOutcome;
}

/** The job may not begin at present: it is held back until the scheduler lets it go. Decide by `name`. */
export class HeldBack extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = 'HeldBack';
  }
}

const definiteCodes: ReadonlySet<JobErrorCode> = new Set<JobErrorCode>([
  'text_encoding_must_be_utf8', 'ocr_required', 'document_empty', 'not_a_scorm_package', 'source_version_changed', 'source_too_large',
  'document_unreadable', 'document_encrypted', 'document_too_complex', 'media_unreadable', 'media_encrypted', 'audio_too_long', 'audio_track_not_found',
  'source_host_not_allowed',
]);

/**
 * Reads what an error means for its job. Errors of our own carry `code` (a job error code) and perhaps `outcome`;
 * a store or a model that is away says so by its name; everything else is tried again as `internal_error`.
 */
export function failureOf(error: unknown): StageFailure {
  if (typeof error === 'object' && error !== null) {
    const name = 'name' in error ? error.name : '';
    if (name === 'StoreUnavailable') return { code: 'store_unavailable', outcome: 'temporary' };
    if (name === 'ModelUnavailable') return { code: 'model_unavailable', outcome: 'temporary' };
    if ('code' in error && typeof error.code === 'string' && isJobErrorCode(error.code)) {
      const outcome = 'outcome' in error ? error.outcome : undefined;
      if (outcome === 'definite' || outcome === 'temporary' || outcome === 'access') return { code: error.code, outcome };
      return { code: error.code, outcome: definiteCodes.has(error.code) ? 'definite' : 'temporary' };
    }
  }
  return { code: 'internal_error', outcome: 'temporary' };
}

function isJobErrorCode(word: string): word is JobErrorCode {
  return Object.hasOwn(jobErrorCodes, word);
}

import { jobErrorCodes, type JobErrorCode } from '../../models/errors.ts';
import type { FailureOutcome } from '../work/kind.ts';

/** Why a stage of indexing was not done, as the job shows it. */
export interface StageFailure {
  code: JobErrorCode;
  outcome: FailureOutcome;
}

const definiteCodes: ReadonlySet<JobErrorCode> = new Set<JobErrorCode>([
  'text_encoding_must_be_utf8',
  'ocr_required',
  'document_empty',
  'not_a_scorm_package',
  'source_version_changed',
  'source_too_large',
  'document_unreadable',
  'document_encrypted',
  'document_too_complex',
  'media_unreadable',
  'media_encrypted',
  'audio_too_long',
  'audio_track_not_found',
  'source_host_not_allowed',
]);

/**
 * Classifies an error. Errors of this program carry `code` (a job error code) and perhaps `outcome`; a store or model
 * that does not answer is recognized by `name`; everything else is retried as `internal_error`.
 */
export function failureOf(error: unknown): StageFailure {
  if (typeof error === 'object' && error !== null) {
    const name = 'name' in error ? error.name : '';
    if (name === 'StoreUnavailable') return { code: 'store_unavailable', outcome: 'temporary' };
    if (name === 'ModelUnavailable') return { code: 'model_unavailable', outcome: 'temporary' };
    if ('code' in error && typeof error.code === 'string' && isJobErrorCode(error.code)) {
      const { code } = error;
      const outcome = 'outcome' in error ? error.outcome : undefined;
      if (outcome === 'definite' || outcome === 'temporary' || outcome === 'access') return { code, outcome };
      return { code, outcome: definiteCodes.has(code) ? 'definite' : 'temporary' };
    }
  }
  return { code: 'internal_error', outcome: 'temporary' };
}

function isJobErrorCode(word: string): word is JobErrorCode {
  return Object.hasOwn(jobErrorCodes, word);
}

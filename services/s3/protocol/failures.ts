import { retryAfterHeaders, translated, type Translation } from '../../../mixins/storage/door-fault.ts';
import { refusalOf } from '../../../models/errors.ts';
import { Fault, type FaultCode } from './faults.ts';

/** Errors of the service in terms of the protocol. */
const translation: Translation<FaultCode> = {
  codes: {
    bucket_not_found: 'NoSuchBucket',
    bucket_not_active: 'NoSuchBucket',
    bucket_name_taken: 'BucketAlreadyExists',
    region_not_available: 'InvalidLocationConstraint',
    plan_limit_reached: 'TooManyBuckets',
    quota_exceeded: 'AccessDenied',
    rate_limited: 'SlowDown',
    payload_too_large: 'EntityTooLarge',
    checksum_mismatch: 'BadDigest',
    object_exists: 'ObjectAlreadyExists',
    object_managed: 'AccessDenied',
    method_not_allowed: 'MethodNotAllowed',
    upload_not_found: 'NoSuchUpload',
    upload_not_open: 'NoSuchUpload',
    upload_expired: 'NoSuchUpload',
    upload_incomplete: 'InvalidPart',
    upload_too_slow: 'RequestTimeout',
  },
  invalid: 'InvalidRequest',
  denied: 'AccessDenied',
  absent: 'NoSuchKey',
  conflict: 'OperationAborted',
  busy: 'ServiceUnavailable',
  wrongLength: 'IncompleteBody',
};

/** The fault that an error is answered with; null for failures of the service itself. */
export function faultOf(error: unknown): Fault | null {
  if (error instanceof Fault) return error;
  const refusal = refusalOf(error);
  // Another request ends the upload at present: that it does not exist would be final.
  if (refusal?.type === 'upload_not_open' && refusal.data.retryable === true)
    return new Fault('OperationAborted', { headers: retryAfterHeaders(refusal.data.retryAfter ?? 1) });
  const answer = translated(error, translation);
  return answer === null ? null : new Fault(answer.code, answer.details);
}

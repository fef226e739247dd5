import { refusalOf, type ErrorCode } from '../../../models/errors.ts';
import { failureOf } from '../../../mixins/http/api/failures.ts';
import { Fault, type FaultCode } from './faults.ts';

/** Refusals of the engine of objects in terms of the protocol. */
const codes: { readonly [C in ErrorCode]?: FaultCode } = {
  bucket_not_found: 'NoSuchBucket',
  bucket_not_active: 'NoSuchBucket',
  bucket_suspended: 'AccessDenied',
  bucket_name_taken: 'BucketAlreadyExists',
  region_not_available: 'InvalidLocationConstraint',
  plan_limit_reached: 'TooManyBuckets',
  not_included_in_plan: 'AccessDenied',
  quota_exceeded: 'AccessDenied',
  rate_limited: 'SlowDown',
  file_type_not_allowed: 'InvalidRequest',
  payload_too_large: 'EntityTooLarge',
  object_exists: 'ObjectAlreadyExists',
  object_busy: 'OperationAborted',
  object_managed: 'AccessDenied',
  object_not_found: 'NoSuchKey',
  upload_not_found: 'NoSuchUpload',
  upload_not_open: 'NoSuchUpload',
  upload_expired: 'NoSuchUpload',
  upload_incomplete: 'InvalidPart',
  upload_too_slow: 'RequestTimeout',
};

/** The fault that an error is answered with; null for failures of the service itself. */
export function faultOf(error: unknown): Fault | null {
  if (error instanceof Fault) return error;
  const refusal = refusalOf(error);
  if (refusal !== null) {
    const { detail, retryAfter, retryable } = refusal.data;
    const isBusy = refusal.type === 'upload_not_open' && retryable === true;
    const code = isBusy ? 'OperationAborted' : codes[refusal.type];
    if (code !== undefined)
      return new Fault(code, {
        ...(detail === undefined ? {} : { message: detail }),
        ...(retryAfter === undefined ? {} : { headers: { 'Retry-After': String(Math.ceil(retryAfter)) } }),
      });
    if (refusal.code < 500) return new Fault('InvalidRequest', detail === undefined ? {} : { message: detail });
  }
  if (error instanceof Error && error.name === 'WrongLength') return new Fault('IncompleteBody');
  return failureOf(error).type === 'content_service_unavailable'
    ? new Fault('ServiceUnavailable', { headers: { 'Retry-After': '1' } })
    : null;
}

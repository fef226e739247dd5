import { retryAfterHeaders, translated, type Translation } from '../../../mixins/storage/door-fault.ts';
import { refusalOf } from '../../../models/errors.ts';
import { badHeader, Fault, type FaultCode } from './faults.ts';

/** Errors of the service in terms of the protocol. */
const translation: Translation<FaultCode> = {
  codes: {
    bucket_not_found: 'ContainerNotFound',
    bucket_not_active: 'ContainerNotFound',
    bucket_name_taken: 'ContainerAlreadyExists',
    object_not_found: 'BlobNotFound',
    object_exists: 'BlobAlreadyExists',
    object_busy: 'ServerBusy',
    upload_not_found: 'InvalidBlockList',
    upload_expired: 'InvalidBlockList',
    upload_incomplete: 'InvalidBlockList',
    upload_not_open: 'ServerBusy',
    upload_too_slow: 'OperationTimedOut',
    not_included_in_plan: 'InsufficientAccountPermissions',
    plan_limit_reached: 'InsufficientAccountPermissions',
    quota_exceeded: 'InsufficientAccountPermissions',
    region_not_available: 'InsufficientAccountPermissions',
    method_not_allowed: 'UnsupportedHttpVerb',
    payload_too_large: 'RequestBodyTooLarge',
    checksum_mismatch: 'Md5Mismatch',
  },
  invalid: 'InvalidInput',
  denied: 'AuthorizationPermissionMismatch',
  absent: 'ResourceNotFound',
  conflict: 'ResourceTypeMismatch',
  busy: 'ServerBusy',
  wrongLength: 'InvalidInput',
};

/** The fault that an error is answered with; null for failures of the service itself. */
export function faultOf(error: unknown): Fault | null {
  if (error instanceof Fault) return error;
  if (refusalOf(error)?.type === 'file_type_not_allowed') return badHeader('Content-Type', '');
  const answer = translated(error, translation);
  return answer === null ? null : new Fault(answer.code, answer.details);
}

/** The fault of a request that may be tried again after some seconds. */
export function busy(retryAfter: number): Fault {
  return new Fault('ServerBusy', { headers: retryAfterHeaders(retryAfter) });
}

import { refusalOf, type ErrorCode } from '../../../models/errors.ts';
import { badHeader, Fault, type FaultCode } from './faults.ts';

/** Refusals of the engine of objects, as the protocol has them. */
const codes: Partial<Record<ErrorCode, FaultCode>> = {
  bucket_not_found: 'ContainerNotFound',
  bucket_not_active: 'ContainerNotFound',
  bucket_suspended: 'AuthorizationPermissionMismatch',
  bucket_name_taken: 'ContainerAlreadyExists',
  object_not_found: 'BlobNotFound',
  object_exists: 'BlobAlreadyExists',
  upload_not_found: 'InvalidBlockList',
  upload_expired: 'InvalidBlockList',
  upload_incomplete: 'InvalidBlockList',
  upload_not_open: 'ServerBusy',
  plan_limit_reached: 'InsufficientAccountPermissions',
  region_not_available: 'InsufficientAccountPermissions',
  payload_too_large: 'RequestBodyTooLarge',
  checksum_mismatch: 'Md5Mismatch',
  not_included_in_plan: 'InsufficientAccountPermissions',
  object_busy: 'ServerBusy',
  content_service_unavailable: 'ServerBusy',
  rate_limited: 'ServerBusy',
  upload_too_slow: 'OperationTimedOut',
};

/** The fault that an error is answered with; null for one that is nobody's refusal. */
export function faultOf(error: unknown): Fault | null {
  if (error instanceof Fault) return error;
  const refusal = refusalOf(error);
  if (refusal === null) {
    const isAway = error instanceof Error && error.name === 'StoreUnavailable';
    return isAway ? busy(1) : null;
  }
  const { type, data } = refusal;
  if (type === 'file_type_not_allowed') return badHeader('Content-Type', '');
  const code = codes[type];
  if (code === undefined) return null;
  return code === 'ServerBusy' ? busy(data.retryAfter ?? 1) : new Fault(code);
}

/** The fault of a request that may be tried again after some seconds. */
export function busy(retryAfter: number): Fault {
  return new Fault('ServerBusy', { headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) } });
}

import { hasFeature } from '../../../mixins/http/api/admission.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { allows, reaches, type StoragePermission } from '../../../models/storage-credential.ts';
import { bucketNamed } from '../../../mixins/storage/door-lookup.ts';
import type { BlobExchange, Door } from '../door.ts';
import type { BlobAddress } from '../protocol/address.ts';
import { Fault } from '../protocol/faults.ts';
import type { Access } from './authenticate.ts';

/** What an operation needs of whoever asks for it. */
export interface Need {
  /** Type of its resource, as an account SAS names it: service, container, object. */
  type: 's' | 'c' | 'o';
  /** Permissions of a SAS of which one is enough; empty where any SAS will do. */
  letters: string;
  /** Of the key; null where none is asked for. */
  permission: StoragePermission | null;
  /** Whether the SAS of a container, or of a blob, may do it at all. */
  ofService: boolean;
}

/**
 * Whether the SAS of a request, if it has one, allows what an operation needs.
 * @throws Fault `AuthorizationResourceTypeMismatch`, `AuthorizationPermissionMismatch`
 */
export function requireSas({ sas }: Access, { type, letters, ofService }: Need): void {
  if (sas === null || letters === '') return;
  if (sas.kind === 'account') {
    if (!sas.resourceTypes.has(type)) throw new Fault('AuthorizationResourceTypeMismatch');
  } else if (!ofService || (sas.kind === 'blob' && type !== 'o')) throw new Fault('AuthorizationPermissionMismatch');
  if (![...letters].some((letter) => sas.permissions.has(letter))) throw new Fault('AuthorizationPermissionMismatch');
}

/** The organization's bucket that an address names as a container, in any state; null if there is none. */
export async function containerOf(
  { app }: Pick<Door, 'app'>,
  { account: { organizationId } }: Pick<Access, 'account'>,
  { container }: Pick<BlobAddress, 'container'>,
): Promise<Bucket | null> {
  return container === null ? null : bucketNamed(app, organizationId, container);
}

/**
 * The active bucket of the container that a request names, if the key may use it so.
 * @throws Fault `ContainerNotFound`, `AuthorizationPermissionMismatch` for a bucket that the key does not reach, a missing
 *   permission, reads and writes of a suspended bucket, and changes of a library
 */
export function requireContainer(
  { access: { credential }, bucket }: Pick<BlobExchange, 'access' | 'bucket'>,
  permission: StoragePermission | null,
  isListing = false,
): Bucket {
  if (bucket === null || bucket.state !== 'active') throw new Fault('ContainerNotFound');
  if (!reaches(credential, bucket._id)) throw new Fault('AuthorizationPermissionMismatch');
  if (permission === null) return bucket;
  if (!allows(credential, permission, bucket._id)) throw new Fault('AuthorizationPermissionMismatch');
  if (permission === 'write' && !hasFeature(credential.features, 'storage'))
    throw new Fault('InsufficientAccountPermissions');
  const isSuspended = bucket.suspendedAt !== null && permission !== 'delete' && !isListing;
  const isChange = permission === 'write' || permission === 'delete';
  if (isSuspended || (bucket.kind === 'video' && isChange)) throw new Fault('AuthorizationPermissionMismatch');
  return bucket;
}

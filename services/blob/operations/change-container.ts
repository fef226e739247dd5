import { call } from '../../../mixins/actions/call.ts';
import { hasFeature } from '../../../mixins/http/api/admission.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { activatedBucket } from '../../../mixins/storage/door-lookup.ts';
import type { Caller } from '../../../models/api.ts';
import { bucketNameForm } from '../../../models/schemas/buckets.ts';
import { allows, reaches } from '../../../models/storage-credential.ts';
import { requireContainer } from '../auth/authorize.ts';
import type { BlobExchange, Door } from '../door.ts';
import { Fault } from '../protocol/faults.ts';
import { hasMetadata } from '../protocol/sent.ts';
import { containerHeaders } from './containers.ts';

const namePattern = new RegExp(bucketNameForm.source);

/** The user who made a key, as the API knows callers. */
function callerOf({ access: { credential }, origin, requestId }: BlobExchange): Caller {
  const userId = credential.createdBy.replace(/^user:/, '');
  return {
    accountId: credential.accountId,
    organizationId: credential.organizationId,
    keyId: userId,
    keyPrefix: '',
    keyLabel: credential.name,
    keyScope: 'admin',
    requestId,
    ip: origin.address === '' ? null : origin.address,
    userId,
  };
}

/**
 * Creates a bucket, and waits until it is active. Its blobs may be overwritten, as clients of this protocol expect.
 * @throws Fault
 */
export async function createContainer(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { access, address, request } = exchange;
  const { credential, account } = access;
  const name = address.container ?? '';
  if (!namePattern.test(name)) throw new Fault('InvalidResourceName');
  const { bucket: own } = exchange;
  if (own !== null) {
    if (!reaches(credential, own._id)) throw new Fault('AuthorizationPermissionMismatch');
    throw new Fault(own.deletedAt === null ? 'ContainerAlreadyExists' : 'ContainerBeingDeleted');
  }
  if (!allows(credential, 'manage', null)) throw new Fault('AuthorizationPermissionMismatch');
  if (!hasFeature(credential.features, 'storage')) throw new Fault('InsufficientAccountPermissions');
  // Containers have no metadata, and are private.
  if (hasMetadata(request.headers) || request.headers['x-ms-blob-public-access'] !== undefined)
    throw new Fault('NotImplemented');
  const caller = callerOf(exchange);
  const { id } = await call(door.actions, 'storage.createBucket', {
    caller,
    id: door.app.runtime.uuid(),
    bucket: { name, region: account.homeRegion, visibility: 'private', strictResidency: false },
  });
  const made = await activatedBucket(door.app, account.organizationId, id);
  if (made === null) throw new Fault('OperationTimedOut');
  await call(door.actions, 'storage.changeBucket', {
    caller,
    bucketId: id,
    change: { uploadRules: { allowOverwrite: true } },
  });
  return { status: 201, headers: containerHeaders(made) };
}

/** Deletes a bucket: it can be restored for seven days. @throws Fault */
export async function deleteContainer(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const bucket = requireContainer(exchange, 'manage', true);
  if (bucket.kind === 'video') throw new Fault('AuthorizationPermissionMismatch');
  await call(door.actions, 'storage.removeBucket', { caller: callerOf(exchange), bucketId: bucket._id });
  return { status: 202 };
}

import { call } from '../../../mixins/actions/call.ts';
import { hasFeature } from '../../../mixins/http/api/admission.ts';
import { readRawBody } from '../../../mixins/http/raw-body.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { activatedBucket } from '../../../mixins/storage/door-lookup.ts';
import type { Caller } from '../../../models/api.ts';
import { bucketNameForm } from '../../../models/schemas/buckets.ts';
import { allows, reaches } from '../../../models/storage-credential.ts';
import { containerOf, requireContainer } from '../auth/authorize.ts';
import type { BlobExchange, Door } from '../door.ts';
import { readConditions } from '../protocol/conditions.ts';
import { Fault, notOffered } from '../protocol/faults.ts';
import { hasMetadata, sentMetadata } from '../protocol/sent.ts';
import { readLeaves } from '../protocol/xml.ts';
import { containerHeaders } from './containers.ts';

const namePattern = new RegExp(bucketNameForm.source);
const nameLength = { min: 3, max: 63 };

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
  const metadata = sentMetadata(request.headers);
  if (name.length < nameLength.min || name.length > nameLength.max)
    throw new Fault('OutOfRangeInput', {
      message: 'The specified resource name length is not within the permissible limits.',
    });
  if (!namePattern.test(name)) throw new Fault('InvalidResourceName');
  refusePublicAccess(exchange);
  const { bucket: own } = exchange;
  if (own !== null) {
    if (!reaches(credential, own._id)) throw new Fault('AuthorizationPermissionMismatch');
    throw new Fault(own.deletedAt === null ? 'ContainerAlreadyExists' : 'ContainerBeingDeleted');
  }
  // A bucket may have them, and a container of the protocol not.
  if (name.includes('--')) throw new Fault('InvalidResourceName');
  if (!allows(credential, 'manage', null)) throw new Fault('AuthorizationPermissionMismatch');
  if (!hasFeature(credential.features, 'storage')) throw new Fault('InsufficientAccountPermissions');
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
  if (hasMetadata(request.headers))
    await call(door.actions, 'storage.changeContainerMetadata', { caller, bucketId: id, metadata });
  return { status: 201, headers: containerHeaders((await containerOf(door, access, address)) ?? made) };
}

/** Containers are private. @throws Fault `NotImplemented` */
function refusePublicAccess({ request }: BlobExchange): void {
  if (request.headers['x-ms-blob-public-access'] !== undefined) throw notOffered('Public containers');
}

/** Replaces the metadata of a container. The one condition that it may have is `If-Modified-Since`. @throws Fault */
export async function setContainerMetadata(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { access, address, request } = exchange;
  const metadata = sentMetadata(request.headers);
  const bucket = requireContainer(exchange, 'write');
  const { 'if-modified-since': since } = readConditions(request);
  if (since !== undefined && Math.floor(bucket.updatedAt / 1000) * 1000 <= Date.parse(since))
    throw new Fault('ConditionNotMet');
  await call(door.actions, 'storage.changeContainerMetadata', {
    caller: callerOf(exchange),
    bucketId: bucket._id,
    metadata,
  });
  return { status: 200, headers: containerHeaders((await containerOf(door, access, address)) ?? bucket) };
}

/** Most bytes of a list of stored access policies, and how long a client may send nothing of it, in milliseconds. */
const aclLimits = { maxBytes: 16_384, idleTimeoutMs: 30_000 };

/** Keeps a container private and without stored access policies, which is all that is offered. @throws Fault */
export async function setContainerAcl(_door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { request, response } = exchange;
  const bucket = requireContainer(exchange, 'manage');
  refusePublicAccess(exchange);
  for await (const { path } of readLeaves(readRawBody(request, response, aclLimits)))
    if (path.length > 1) throw notOffered('Stored access policies');
  return { status: 200, headers: containerHeaders(bucket) };
}

/** Deletes a bucket: it can be restored for seven days. @throws Fault */
export async function deleteContainer(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const bucket = requireContainer(exchange, 'manage', true);
  if (bucket.kind === 'video') throw new Fault('AuthorizationPermissionMismatch');
  await call(door.actions, 'storage.removeBucket', { caller: callerOf(exchange), bucketId: bucket._id });
  return { status: 202 };
}

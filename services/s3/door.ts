import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ActionCaller } from '../../mixins/actions/call.ts';
import { hasFeature } from '../../mixins/http/api/admission.ts';
import type { DoorCredential, DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import type { DoorApp } from '../../mixins/storage/door-http.ts';
import { bucketNamed } from '../../mixins/storage/door-lookup.ts';
import type { Bucket } from '../../models/bucket.ts';
import type { Region } from '../../models/region.ts';
import { allows, reaches, type StoragePermission } from '../../models/storage-credential.ts';
import type { ChunkSigning } from './payload/chunks.ts';
import type { S3Address } from './protocol/address.ts';
import { Fault } from './protocol/faults.ts';

/** What the operations of the door share. */
export interface Door {
  app: DoorApp;
  actions: ActionCaller;
  regions: readonly Region[];
  credentials: DoorCredentials;
}

/** Who sent a request, and what it said of its body. */
export interface Access {
  credential: DoorCredential;
  /** The region that the signature names. */
  region: string;
  /** Value of `x-amz-content-sha256`: a SHA-256 in hex, or a name of a framing. */
  payload: string;
  /** For bodies whose chunks are signed. */
  signing: ChunkSigning | null;
}

/** A request that was authenticated. */
export interface S3Exchange {
  readonly request: IncomingMessage;
  /** For bodies that are asked for; the response itself is sent by the door. */
  readonly response: ServerResponse;
  readonly address: S3Address;
  /** The organization's bucket that the address names, in any state; null if there is none. */
  readonly bucket: Bucket | null;
  readonly access: Access;
}

/** What of a request decides about a bucket. */
type RequestOfBucket = Pick<S3Exchange, 'access' | 'address' | 'bucket'> & {
  request: Pick<IncomingMessage, 'method' | 'headers'>;
};

/**
 * The active bucket that a request names.
 * @param need `reach`: any permission on it
 * @throws Fault `NoSuchBucket`; `AccessDenied`, also of writes that the plan does not include
 */
export async function requireBucket(
  door: Pick<Door, 'app'>,
  { access: { credential }, address, bucket: addressed, request }: RequestOfBucket,
  name: string | null,
  need: StoragePermission | 'reach',
): Promise<Bucket> {
  const bucket =
    name === address.bucket ? addressed : await bucketNamed(door.app, credential.organizationId, name ?? '');
  if (bucket === null || bucket.state !== 'active')
    throw new Fault('NoSuchBucket', { elements: { BucketName: name ?? '' } });
  if (name === address.bucket) requireOwner({ access: { credential }, request }, 'x-amz-expected-bucket-owner');
  const isAllowed = need === 'reach' ? reaches(credential, bucket._id) : allows(credential, need, bucket._id);
  if (!isAllowed) throw new Fault('AccessDenied');
  // Ending an upload in parts writes nothing.
  if (need === 'write' && request.method !== 'DELETE') requireFeature(credential);
  // The files of libraries change with their videos alone.
  if (bucket.kind === 'video' && (need === 'write' || need === 'delete')) throw new Fault('AccessDenied');
  return bucket;
}

/** Refuses a request that expects another owner of a bucket than the organization. @throws Fault `AccessDenied` */
export function requireOwner(
  { access, request }: { access: Pick<Access, 'credential'>; request: Pick<IncomingMessage, 'headers'> },
  header: 'x-amz-expected-bucket-owner' | 'x-amz-source-expected-bucket-owner',
): void {
  const expected = request.headers[header];
  if (expected !== undefined && expected !== access.credential.organizationId) throw new Fault('AccessDenied');
}

/** @throws Fault `AccessDenied` where the plan does not include storage: what there is is read and deleted without it */
export function requireFeature({ features }: Pick<DoorCredential, 'features'>): void {
  if (!hasFeature(features, 'storage'))
    throw new Fault('AccessDenied', { message: "The account's plan does not include storage." });
}

/** Refuses to read or write what was taken down. @throws Fault `AccessDenied` */
export function requireNotSuspended({ suspendedAt }: Pick<Bucket, 'suspendedAt'>): void {
  if (suspendedAt !== null) throw new Fault('AccessDenied', { message: 'The bucket was taken down.' });
}

/** Whom audit rows name: the user who made the credential. */
export function userOf({ access }: Pick<S3Exchange, 'access'>): string {
  return access.credential.createdBy.replace(/^user:/, '');
}

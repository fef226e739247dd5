import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Objects } from '../../adapters/objects/port.ts';
import type { ActionCaller } from '../../mixins/actions/call.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { DoorCredential, DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import { buckets, type Bucket } from '../../models/bucket.ts';
import type { Region } from '../../models/region.ts';
import { scopeOf } from '../../models/scope.ts';
import { allows, reaches, type StoragePermission } from '../../models/storage-credential.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import type { ChunkSigning } from './payload/chunks.ts';
import type { S3Address } from './protocol/address.ts';
import { Fault } from './protocol/faults.ts';

/** The parts of the app that the door uses. */
export type DoorApp = Pick<
  AppContext,
  'records' | 'runtime' | 'configuration' | 'log' | 'sealer' | 'counters' | 'metrics' | 'listeners'
> & { objects: Objects };

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
  readonly access: Access;
}

/** A response. */
export interface S3Reply {
  status: number;
  headers?: { readonly [name: string]: string };
  /** A text, or bytes that are sent as the client takes them. */
  body?: string | { bytes: number; pieces: AsyncIterable<Uint8Array> };
}

/** A reply with XML. */
export function xmlReply(body: string, headers: S3Reply['headers'] = {}): S3Reply {
  return { status: 200, headers: { 'Content-Type': 'application/xml', ...headers }, body };
}

/** The organization's own bucket with a name, in any state; null if there is none. */
export async function bucketNamed(
  { app }: Pick<Door, 'app'>,
  organizationId: string,
  name: string,
): Promise<Bucket | null> {
  const [bucket] = await app.records
    .collection(buckets, scopeOf(organizationId))
    .find({ filter: { nameKey: name }, limit: 1 });
  return bucket ?? null;
}

/**
 * The active bucket that a request names.
 * @param need `reach`: any permission on it
 * @throws Fault `NoSuchBucket`, `AccessDenied`
 */
export async function requireBucket(
  door: Pick<Door, 'app'>,
  { access: { credential } }: Pick<S3Exchange, 'access'>,
  name: string | null,
  need: StoragePermission | 'reach',
): Promise<Bucket> {
  const bucket = await bucketNamed(door, credential.organizationId, name ?? '');
  if (bucket === null || bucket.state !== 'active')
    throw new Fault('NoSuchBucket', { elements: { BucketName: name ?? '' } });
  const isAllowed = need === 'reach' ? reaches(credential, bucket._id) : allows(credential, need, bucket._id);
  if (!isAllowed) throw new Fault('AccessDenied');
  // The files of libraries change with their videos alone.
  if (bucket.kind === 'video' && (need === 'write' || need === 'delete')) throw new Fault('AccessDenied');
  return bucket;
}

/** Refuses to read or write what was taken down. @throws Fault `AccessDenied` */
export function requireNotSuspended({ suspendedAt }: Pick<Bucket, 'suspendedAt'>): void {
  if (suspendedAt !== null) throw new Fault('AccessDenied', { message: 'The bucket was taken down.' });
}

/** The stored object with a key; null if there is none, or it is disabled. */
export async function findObject(
  { app }: Pick<Door, 'app'>,
  { organizationId, _id: bucketId }: Pick<Bucket, 'organizationId' | '_id'>,
  key: string,
): Promise<StoredObject | null> {
  const [object] = await app.records
    .collection(storedObjects, scopeOf(organizationId))
    .find({ filter: { bucketId, liveKey: key }, limit: 1 });
  return object === undefined || object.state !== 'stored' ? null : object;
}

/** Whom audit rows name: the user who made the credential. */
export function userOf({ access }: Pick<S3Exchange, 'access'>): string {
  return access.credential.createdBy.replace(/^user:/, '');
}

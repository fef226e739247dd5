import { call } from '../../../mixins/actions/call.ts';
import type { DoorWrite } from '../../../mixins/actions/doors.ts';
import type { Pace } from '../../../mixins/http/paced-body.ts';
import { objectNamed } from '../../../mixins/storage/door-lookup.ts';
import type { Bucket } from '../../../models/bucket.ts';
import type { SeenVersion } from '../../../models/schemas/doors.ts';
import type { ObjectHeaders, ObjectMetadata, StoredObject } from '../../../models/storage-object.ts';
import { blocksKeyOf, uploads } from '../../../models/upload.ts';
import { scopeOf } from '../../../models/scope.ts';
import { requireContainer } from '../auth/authorize.ts';
import type { BlobExchange, Door } from '../door.ts';
import { checkChange, readConditions } from '../protocol/conditions.ts';
import { busy } from '../protocol/failures.ts';
import { Fault } from '../protocol/faults.ts';
import { md5Algorithm } from '../protocol/properties.ts';
import { writableKey } from '../protocol/sent.ts';

/** The slowest client that a body is read from: 4 KiB a second. */
export const pace: Pace = { minBytes: 30 * 4096, seconds: 30 };

/** Attempts of a write after which the client is asked to try again. */
const writeAttempts = 20;

/** A blob that is written. */
export interface Target {
  bucket: Bucket;
  key: string;
  /** Names the blob to actions. */
  at: { organizationId: string; bucketId: string; key: string };
  /** What is there at first. */
  present: StoredObject | null;
}

/**
 * The blob that a request writes, with its conditions checked.
 * @throws Fault
 */
export async function openTarget(door: Door, exchange: BlobExchange): Promise<Target> {
  const { address } = exchange;
  const key = writableKey(address.blob);
  const bucket = requireContainer(exchange, 'write');
  const at = { organizationId: bucket.organizationId, bucketId: bucket._id, key };
  const present = await objectNamed(door.app, bucket, key);
  judge(exchange, present);
  return { bucket, key, at, present };
}

/** Whether a request may write over what is there. @throws Fault */
function judge({ request, access: { sas } }: BlobExchange, present: StoredObject | null): void {
  checkChange(readConditions(request), present);
  // The permission to create does not extend to what is there.
  if (present !== null && sas !== null && !sas.permissions.has('w')) throw new Fault('AuthorizationPermissionMismatch');
}

/** A version as the engine of objects compares it. */
export function seenOf(object: StoredObject | null): SeenVersion {
  return object === null ? null : { contentId: object.content.id, updatedAt: object.updatedAt };
}

/**
 * Writes a blob as long as it is as the request wants it: judged again whenever another write was first.
 * @param write for the version that was seen; null answers that it has to be read again. @throws Fault
 */
export async function writeJudged(
  door: Door,
  exchange: BlobExchange,
  { bucket, key, present: first }: Target,
  write: (seen: SeenVersion, present: StoredObject | null) => Promise<DoorWrite>,
): Promise<StoredObject> {
  let present = first;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const written = await write(seenOf(present), present);
    if (written.outcome === 'stored') return written.object;
    present = await objectNamed(door.app, bucket, key);
    judge(exchange, present);
  }
  throw busy(1);
}

/** What a blob is stored with besides its bytes. */
export interface Details {
  contentType: string;
  metadata: ObjectMetadata;
  headers?: ObjectHeaders;
}

/** The MD5 that a client declares for a blob, as the record keeps it. */
export function declaredMd5(value: string | null): Pick<StoredObject, 'checksum'> {
  return value === null ? {} : { checksum: { algorithm: md5Algorithm, value, type: 'FULL_OBJECT' } };
}

/** Id and content of the blocks of a blob that wait; null if there are none. */
export async function stagedBlocks(
  { app }: Pick<Door, 'app'>,
  { organizationId, bucketId, key }: Target['at'],
): Promise<{ uploadId: string; contentId: string } | null> {
  const [open] = await app.records
    .collection(uploads, scopeOf(organizationId))
    .find({ filter: { blocksKey: blocksKeyOf(bucketId, key) }, limit: 1 });
  if (open === undefined || open.state !== 'open' || open.expiresAt <= app.runtime.now()) return null;
  return { uploadId: open._id, contentId: open.contentId };
}

/** Drops the blocks of a blob that wait: it was written as a whole. What fails ends with their week. */
export async function dropBlocks(door: Door, at: Target['at']): Promise<void> {
  const staged = await stagedBlocks(door, at);
  if (staged === null) return;
  const { uploadId } = staged;
  try {
    await call(door.actions, 'storage.abortParts', { organizationId: at.organizationId, uploadId });
  } catch (error) {
    door.app.log.debug({ err: error, uploadId }, 'the blocks of a blob were not dropped');
  }
}

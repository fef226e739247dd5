import { call } from '../../../mixins/actions/call.ts';
import { discardContent, storeContent } from '../../../mixins/storage/door-writes.ts';
import { refusalOf } from '../../../models/errors.ts';
import type { DoorObject, SeenVersion } from '../../../models/schemas/doors.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { objectNamed } from '../../../mixins/storage/door-lookup.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { openBody, wholeChecksum } from '../payload/body.ts';
import { isConditional, requireWrite, versionOf } from '../protocol/conditions.ts';
import { readDetails, readTags, refuseUnoffered, requireKey, sentHeaders } from '../protocol/details.ts';
import { Fault } from '../protocol/faults.ts';
import { checksumHeaders } from './get-object.ts';

/** Largest object that is sent in one piece. */
const maxPutBytes = 5 * 2 ** 30;
/** Attempts at a conditional write before the client is asked to try again. */
const maxAttempts = 10;

/**
 * Writes an object if the conditions of the request hold for the one that has its key, which are judged again where
 * another write was first.
 * @param write hands over what the conditions were judged by; undefined where there are none
 * @throws Fault `PreconditionFailed`, `NoSuchKey`, `ConditionalRequestConflict`
 */
export async function writeIf(
  door: Door,
  { request }: Pick<S3Exchange, 'request'>,
  at: Pick<DoorObject, 'organizationId' | 'bucketId' | 'key'>,
  write: (
    seen: SeenVersion | undefined,
  ) => Promise<{ outcome: 'stored'; object: StoredObject } | { outcome: 'changed' }>,
): Promise<StoredObject> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    let seen: SeenVersion | undefined;
    if (isConditional(request)) {
      const present = await objectNamed(door.app, { organizationId: at.organizationId, _id: at.bucketId }, at.key);
      requireWrite(request, present);
      seen = versionOf(present);
    }
    const written = await write(seen);
    if (written.outcome === 'stored') return written.object;
  }
  throw new Fault('ConditionalRequestConflict');
}

/** Writes an object whose bytes are stored; where that is refused, they are removed again. @throws Fault, Refusal */
export async function commit(door: Door, exchange: S3Exchange, object: DoorObject): Promise<StoredObject> {
  try {
    return await writeIf(door, exchange, object, (seen) =>
      call(door.actions, 'storage.storeObject', { object, ...(seen === undefined ? {} : { seen }) }),
    );
  } catch (error) {
    // Of any other failure it is not known whether the object was written.
    if (error instanceof Fault || refusalOf(error) !== null) discardContent(door.app, object.content.id);
    throw error;
  }
}

/** PutObject. @throws Fault, Refusal */
export async function putObject(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { request, address } = exchange;
  const bucket = await requireBucket(door, exchange, address.bucket, 'write');
  const key = requireKey(address.key ?? '');
  refuseUnoffered(request);
  const details = { ...readDetails(sentHeaders(request)), ...readTags(request.headers) };
  const body = openBody(exchange);
  const at = { organizationId: bucket.organizationId, bucketId: bucket._id, key };
  if (body.bytes > maxPutBytes) throw new Fault('EntityTooLarge');
  if (isConditional(request)) requireWrite(request, await objectNamed(door.app, bucket, key));
  await call(door.actions, 'storage.admitObject', { ...at, size: body.bytes, contentType: details.contentType });
  const { content, md5 } = await storeContent(door.app, body.bytes, body.pieces);
  const object = await commit(door, exchange, {
    ...at,
    ...details,
    ...wholeChecksum(body),
    size: body.bytes,
    etag: `"${md5}"`,
    content,
    createdVia: 's3',
  });
  const headers = { ETag: object.etag, 'x-amz-object-size': String(object.size), ...checksumHeaders(object) };
  return { status: 200, headers };
}

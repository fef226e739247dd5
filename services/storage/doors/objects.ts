import type { DoorWrite } from '../../../mixins/actions/doors.ts';
import { maxObjectBytes } from '../../../models/schemas/bucket-settings.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { isMislabelledMarkup, markupHeaderBytes } from '../../../models/markup.ts';
import type { DoorObject, SeenVersion } from '../../../models/schemas/doors.ts';
import type { ObjectTags, StoredObject } from '../../../models/storage-object.ts';
import { edgeEntry } from '../objects/entries.ts';
import { settleInBackground } from '../objects/settle.ts';
import { objectBusy, objectsOf, objectWithKey } from '../objects/tools.ts';
import { writeObject, type WriteOptions } from '../objects/write.ts';
import { ceilingsOf } from '../plan.ts';
import { findBucket, requireActive, writeAttempts, type Storage } from '../tools.ts';
import { requireType } from '../uploads/start.ts';
import { requireNotSuspended } from '../uploads/tools.ts';

/** Where an object is. */
export type Key = Pick<DoorObject, 'organizationId' | 'bucketId' | 'key'>;

/** Ends a write, because the object is not the one that the door has seen. */
class ObjectChanged extends Error {}

/** Whether the object with a key is the one that a door has seen. Undefined: the door has not looked. */
export function isAsSeen(present: StoredObject | null, seen: SeenVersion | undefined): boolean {
  if (seen === undefined) return true;
  // A disabled object does not exist at doors.
  const shown = present?.state === 'stored' ? present : null;
  if (shown === null || seen === null) return shown === seen;
  return shown.contentId === seen.contentId && shown.updatedAt === seen.updatedAt;
}

/**
 * Whether a bucket takes an object of this size and type from a door.
 * @throws Refusal `bucket_not_found`, `bucket_not_active`, `bucket_suspended`, `file_type_not_allowed`,
 *   `payload_too_large`, `object_exists`
 */
export async function admitObject(
  storage: Storage,
  { organizationId, bucketId, key, size, contentType }: Key & Pick<DoorObject, 'size' | 'contentType'>,
): Promise<Bucket> {
  const { app } = storage;
  const bucket = await findBucket(app, organizationId, bucketId);
  requireActive(bucket);
  requireNotSuspended(bucket);
  requireType(bucket, contentType);
  const { objectBytes } = await ceilingsOf(app, bucket.accountId);
  const most = Math.min(
    maxObjectBytes,
    bucket.settings.uploadRules.maxObjectBytes ?? Infinity,
    objectBytes ?? Infinity,
  );
  if (size > most) throw new Refusal('payload_too_large', { detail: `The bucket takes objects of ${most} bytes.` });
  if (!bucket.settings.uploadRules.allowOverwrite && (await objectWithKey(app, { organizationId, bucketId, key })))
    throw new Refusal('object_exists');
  return bucket;
}

/** @throws Refusal `file_type_not_allowed` */
export async function requireHonestContent(
  { app }: Storage,
  { settings }: Pick<Bucket, 'settings'>,
  { content, contentType, size }: Pick<StoredObject, 'content' | 'contentType' | 'size'>,
): Promise<void> {
  const { allowedTypes } = settings.uploadRules;
  if (allowedTypes.length === 0 || size === 0) return;
  const to = Math.min(size, markupHeaderBytes) - 1;
  const header = Buffer.concat(
    await Array.fromAsync(app.objects.read(content, { from: 0, to }), (piece) => Buffer.from(piece)),
  );
  if (isMislabelledMarkup(header, contentType, allowedTypes))
    throw new Refusal('file_type_not_allowed', { detail: 'The file is markup, and was declared as another type.' });
}

/**
 * Writes an object whose bytes a door has stored, if the object with its key is the one that the door has seen.
 * @throws Refusal of `admitObject`; `object_busy`
 */
export async function storeObject(
  storage: Storage,
  object: DoorObject,
  seen: SeenVersion | undefined,
): Promise<DoorWrite> {
  const bucket = await admitObject(storage, object);
  await requireHonestContent(storage, bucket, object);
  return writeSeen(storage, bucket, object, seen, { settlesLater: true });
}

/** Writes an object that was admitted. @param more what else follows from it */
export async function writeSeen(
  storage: Storage,
  { settings }: Pick<Bucket, 'settings'>,
  object: DoorObject,
  seen: SeenVersion | undefined,
  { guard, ...more }: Omit<WriteOptions, 'allowOverwrite'>,
): Promise<DoorWrite> {
  try {
    const written = await writeObject(
      storage,
      { ...object, sha256: null },
      {
        ...more,
        allowOverwrite: settings.uploadRules.allowOverwrite,
        guard: async (present) => {
          if (!isAsSeen(present, seen)) throw new ObjectChanged();
          await guard?.(present);
        },
      },
    );
    return { outcome: 'stored', object: written };
  } catch (error) {
    if (error instanceof ObjectChanged) return { outcome: 'changed' };
    throw error;
  }
}

/**
 * Replaces type, metadata and headers of the object that a door has seen, and its tags and checksum where they are given.
 * @throws Refusal `bucket_not_active`, `bucket_suspended`, `file_type_not_allowed`, `object_not_found`, `object_busy`
 */
export async function changeDetails(
  storage: Storage,
  {
    organizationId,
    bucketId,
    key,
    contentType,
    metadata,
    headers,
    tags,
    checksum,
    createdVia,
    seen,
  }: Key &
    Pick<DoorObject, 'contentType' | 'metadata' | 'headers' | 'tags' | 'checksum' | 'createdVia'> & {
      seen: SeenVersion;
    },
): Promise<DoorWrite> {
  const { app } = storage;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const bucket = await findBucket(app, organizationId, bucketId);
    requireActive(bucket);
    requireNotSuspended(bucket);
    requireType(bucket, contentType);
    const present = await objectWithKey(app, { organizationId, bucketId, key });
    if (present === null || !isAsSeen(present, seen)) return { outcome: 'changed' };
    await requireHonestContent(storage, bucket, { ...present, contentType });
    const written = await objectsOf(app, organizationId).update(
      present._id,
      { version: present.version },
      {
        set: {
          contentType,
          metadata,
          createdVia,
          ...(headers === undefined ? {} : { headers }),
          ...(tags === undefined || tags.length === 0 ? {} : { tags }),
          ...(checksum === undefined ? {} : { checksum }),
          // Two changes in one millisecond must not look alike to conditions.
          updatedAt: Math.max(app.runtime.now(), present.updatedAt + 1),
          outboxDue: app.records.time(),
        },
        unset: [...(headers === undefined ? ['headers'] : []), ...(tags?.length === 0 ? ['tags'] : [])],
        increment: { version: 1 },
        // Edges deliver the type and the headers.
        push: { outbox: [edgeEntry(present)] },
      },
    );
    if (written !== null) return { outcome: 'stored', object: await settleInBackground(storage, written) };
  }
  throw objectBusy();
}

/**
 * Replaces the tags of the object that a door has seen: it remains as new as it is.
 * @throws Refusal `bucket_not_active`, `bucket_suspended`, `object_busy`
 */
export async function changeTags(
  storage: Storage,
  { tags, seen, ...at }: Key & { tags: ObjectTags; seen: SeenVersion },
): Promise<DoorWrite> {
  const { app } = storage;
  const bucket = await findBucket(app, at.organizationId, at.bucketId);
  requireActive(bucket);
  requireNotSuspended(bucket);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const present = await objectWithKey(app, at);
    if (present === null || !isAsSeen(present, seen)) return { outcome: 'changed' };
    const written = await objectsOf(app, at.organizationId).update(
      present._id,
      { version: present.version },
      { ...(tags.length === 0 ? { unset: ['tags'] } : { set: { tags } }), increment: { version: 1 } },
    );
    if (written !== null) return { outcome: 'stored', object: written };
  }
  throw objectBusy();
}

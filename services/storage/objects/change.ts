import type { ConditionalChange } from '../../../adapters/records/port.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';
import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import type { ObjectEntry, ObjectMetadata, ObjectView, StoredObject } from '../../../models/storage-object.ts';
import { auditRow, type Actor } from '../../../mixins/storage/audit.ts';
import { findBucket, requireActive, writeAttempts, type Storage } from '../tools.ts';
import { countEntry, edgeEntry, releaseEntry } from './entries.ts';
import { objectOutbox } from './outbox.ts';
import { settleObject } from './settle.ts';
import { findObject, objectBusy, objectsOf } from './tools.ts';
import { objectView } from './view.ts';
import { isEndOfUpload } from './write.ts';

/**
 * Replaces an object's metadata; without metadata nothing changes.
 * @throws Refusal `object_not_found`, `bucket_not_active`, `object_managed`, `object_busy`
 */
export async function changeObject(
  { app }: Storage,
  { organizationId }: Caller,
  objectId: string,
  { metadata }: { metadata?: ObjectMetadata },
): Promise<ObjectView> {
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const object = await findObject(app, organizationId, objectId);
    const bucket = await findBucket(app, organizationId, object.bucketId);
    requireActive(bucket);
    if (object.videoId !== undefined) throw new Refusal('object_managed');
    if (metadata === undefined) return objectView(app, bucket, object);
    const written = await objectsOf(app, organizationId).update(
      objectId,
      { version: object.version },
      {
        set: { metadata, updatedAt: Math.max(app.runtime.now(), object.updatedAt) },
        increment: { version: 1 },
      },
    );
    if (written !== null) return objectView(app, bucket, written);
  }
  throw objectBusy();
}

/**
 * Deletes an object: from then on it is found nowhere. Its bytes are removed when the readers that have begun are done.
 * @throws Refusal `object_not_found`, `bucket_not_active`, `object_managed`, `object_busy`
 */
export async function removeObject(storage: Storage, caller: Caller, objectId: string): Promise<null> {
  const { app } = storage;
  const { organizationId } = caller;
  const object = await findObject(app, organizationId, objectId);
  requireActive(await findBucket(app, organizationId, object.bucketId));
  if (object.videoId !== undefined) throw new Refusal('object_managed');
  if (!(await removeStored(storage, organizationId, objectId, caller))) throw new Refusal('object_not_found');
  return null;
}

/**
 * Deletes an object, whatever it belongs to; false if it does not exist any more. Only what a caller asked for is in
 * the audit log. @throws Refusal `object_busy`
 */
export async function removeStored(
  storage: Storage,
  organizationId: string,
  objectId: string,
  caller: Caller | null,
): Promise<boolean> {
  const { app } = storage;
  const objects = objectsOf(app, organizationId);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const object = await objects.get(objectId);
    if (object === null || object.liveKey === undefined) return false;
    if (isEndOfUpload(object)) {
      // An upload is known to be completed before its object changes again: it is never completed twice.
      await drainOutbox(app, objectOutbox(storage), objects, object);
      continue;
    }
    const written = await removeThis(storage, caller, object);
    if (written !== null) {
      await settleObject(storage, written);
      return true;
    }
  }
  throw objectBusy();
}

function auditEntry(
  app: Storage['app'],
  { _id: id, organizationId }: Pick<StoredObject, '_id' | 'organizationId'>,
  actor: NonNullable<Actor>,
): ObjectEntry {
  const row = auditRow(app, organizationId, actor, 'object.deleted', { kind: 'object', id });
  return { id: `audit:${row._id}`, kind: 'audit', notBefore: 0, row };
}

/**
 * Writes the deletion of an object as it was read, with what follows from it. Null if another request was first.
 * @param actor null: nothing is recorded
 */
export function removeThis({ app }: Storage, actor: Actor, object: StoredObject): Promise<StoredObject | null> {
  const { id, filter, change } = removalOf(app, actor, object);
  return objectsOf(app, object.organizationId).update(id, filter, change);
}

/** The deletion of an object as it was read, and what follows from it. @param actor null: nothing is recorded */
export function removalOf(
  app: Storage['app'],
  actor: Actor,
  object: StoredObject,
): ConditionalChange & { entries: ObjectEntry[] } {
  const { _id: id, organizationId, version, size } = object;
  const entries = [
    ...(actor === null ? [] : [auditEntry(app, object, actor)]),
    countEntry(app, object, version + 1, { objects: -1, bytes: -size }),
    releaseEntry(app, organizationId, object.content),
    edgeEntry(object),
  ];
  return {
    id,
    filter: { version },
    change: {
      set: { goneAt: app.runtime.now(), outboxDue: app.records.time() },
      unset: ['liveKey', 'listKey', 'contentId'],
      increment: { version: 1 },
      push: { outbox: entries },
    },
    entries,
  };
}

import type { DoorRemoval } from '../../../mixins/actions/doors.ts';
import type { Actor } from '../../../mixins/storage/audit.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';
import { refusalOf } from '../../../models/errors.ts';
import type { DoorKeyRemoval, SeenVersion } from '../../../models/schemas/doors.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { removalOf, removeThis } from '../objects/change.ts';
import { objectOutbox } from '../objects/outbox.ts';
import { settleObject, settleObjects } from '../objects/settle.ts';
import { objectBusy, objectsOf, objectsWithKeys, objectWithKey } from '../objects/tools.ts';
import { isEndOfUpload } from '../objects/write.ts';
import { findBucket, requireActive, writeAttempts, type Storage } from '../tools.ts';
import { isAsSeen, type Key } from './objects.ts';

/** Who made the credential: audit rows name that user. */
function actorOf(userId: string): NonNullable<Actor> {
  return { keyId: userId, userId, ip: null };
}

/**
 * Deletes the object with a key, if it is the one that the door has seen. Suspended buckets allow it.
 * @param userId who made the credential: audit rows name that user
 * @throws Refusal `bucket_not_active`, `object_busy`
 */
export async function removeKey(
  storage: Storage,
  { userId, seen, ...at }: Key & { userId: string; seen?: SeenVersion },
): Promise<DoorRemoval> {
  const { app } = storage;
  const { organizationId } = at;
  requireActive(await findBucket(app, organizationId, at.bucketId));
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const present = await objectWithKey(app, at);
    if (!isAsSeen(present, seen)) return { outcome: 'changed' };
    if (present === null || present.state !== 'stored') return { outcome: 'absent' };
    if (isEndOfUpload(present)) {
      await drainOutbox(app, objectOutbox(storage), objectsOf(app, organizationId), present);
      continue;
    }
    const written = await removeThis(storage, actorOf(userId), present);
    if (written === null) continue;
    await settleObject(storage, written);
    return { outcome: 'removed' };
  }
  throw objectBusy();
}

/**
 * Deletes the objects with keys, each if it is the one that the door has seen, with a few writes for all of them. When it
 * resolves, the audit rows are there, and edges were told. Suspended buckets allow it.
 * @param userId who made the credential: audit rows name that user
 * @returns what became of each: `changed` also where an object is changed by too many at once
 * @throws Refusal `bucket_not_active`
 */
export async function removeKeys(
  storage: Storage,
  { userId, removals, ...at }: Omit<Key, 'key'> & { userId: string; removals: readonly DoorKeyRemoval[] },
): Promise<DoorRemoval[]> {
  const { app } = storage;
  requireActive(await findBucket(app, at.organizationId, at.bucketId));
  const present = await objectsWithKeys(
    app,
    at,
    removals.map(({ key }) => key),
  );
  const together = new Map<string, { object: StoredObject; removal: ReturnType<typeof removalOf> }>();
  for (const { key, seen } of removals) {
    const object = present.get(key);
    if (object !== undefined && object.state === 'stored' && isAsSeen(object, seen) && !isEndOfUpload(object))
      together.set(key, { object, removal: removalOf(app, actorOf(userId), object) });
  }
  const removed = await removeTogether(storage, [...together.values()]);
  const outcomes: DoorRemoval[] = [];
  for (const { key, seen } of removals) {
    const before = present.get(key) ?? null;
    // A key that is named twice has no object the second time.
    if (removed.delete(together.get(key)?.object._id ?? '')) outcomes.push({ outcome: 'removed' });
    else if (before?.state !== 'stored' && isAsSeen(before, seen)) outcomes.push({ outcome: 'absent' });
    else outcomes.push(await removeApart(storage, { ...at, key, userId, ...(seen === undefined ? {} : { seen }) }));
  }
  return outcomes;
}

async function removeApart(storage: Storage, removal: Parameters<typeof removeKey>[1]): Promise<DoorRemoval> {
  try {
    return await removeKey(storage, removal);
  } catch (error) {
    if (refusalOf(error)?.type !== 'object_busy') throw error;
    return { outcome: 'changed' };
  }
}

/** Writes deletions of objects as they were read. @returns ids of those where no other request was first */
async function removeTogether(
  storage: Storage,
  deletions: readonly { object: StoredObject; removal: ReturnType<typeof removalOf> }[],
): Promise<Set<string>> {
  const { app } = storage;
  const [first] = deletions;
  if (first === undefined) return new Set();
  const objects = objectsOf(app, first.object.organizationId);
  const changed = await objects.updateAll(deletions.map(({ removal }) => removal));
  let written: StoredObject[] = deletions.map(({ object, removal }) => ({
    ...object,
    outbox: [...object.outbox, ...removal.entries],
    version: object.version + 1,
  }));
  if (changed < deletions.length) {
    const now = await objects.getMany(written.map(({ _id }) => _id));
    const entries = new Set(deletions.flatMap(({ removal }) => removal.entries.map(({ id }) => id)));
    written = now.filter(({ outbox }) => outbox.some(({ id, kind }) => kind === 'audit' && entries.has(id)));
  }
  await settleObjects(storage, written);
  return new Set(written.map(({ _id }) => _id));
}

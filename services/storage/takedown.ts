import { invalid, Refusal } from '../../models/errors.ts';
import { writeBucket } from './buckets/change.ts';
import { edgeEntry } from './objects/entries.ts';
import { settleObject } from './objects/settle.ts';
import { allObjects, objectBusy } from './objects/tools.ts';
import { auditRow } from '../../mixins/storage/audit.ts';
import { allBuckets, writeAttempts, type Storage } from './tools.ts';

/**
 * Takes a bucket down or ends that, for the operator: while it is suspended nothing of it is delivered. Repeating it changes
 * nothing.
 * @throws Refusal `bucket_not_found`
 */
export async function suspendBucket(
  storage: Storage,
  bucketId: string,
  isSuspended: boolean,
): Promise<{ bucketId: string; name: string; suspended: boolean }> {
  const known = await allBuckets(storage.app).get(bucketId);
  if (known === null) throw new Refusal('bucket_not_found');
  const { name } = await writeBucket(storage, null, known.organizationId, bucketId, (bucket) => {
    if ((bucket.suspendedAt !== null) === isSuspended) return null;
    return {
      action: isSuspended ? 'takedown.bucket' : 'takedown.reinstated',
      set: {
        suspendedAt: isSuspended ? storage.app.runtime.now() : null,
        settingsVersion: bucket.settingsVersion + 1,
      },
    };
  });
  return { bucketId, name, suspended: isSuspended };
}

/**
 * Takes an object down or ends that, for the operator: while it is disabled it is listed and never delivered. Repeating it
 * changes nothing.
 * @throws Refusal `object_not_found`; `validation_error` where its bytes are not those that were declared; `object_busy`
 */
export async function takeDownObject(
  storage: Storage,
  objectId: string,
  isDown: boolean,
): Promise<{ objectId: string; key: string; state: 'stored' | 'disabled' }> {
  const { app } = storage;
  const state = isDown ? 'disabled' : 'stored';
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const object = await allObjects(app).get(objectId);
    if (object === null || object.liveKey === undefined) throw new Refusal('object_not_found');
    if (!isDown && object.checksumState === 'mismatch')
      throw invalid(['objectId'], 'The object is disabled because its bytes do not have the declared sha256.');
    if (object.state === state) return { objectId, key: object.key, state };
    const action = isDown ? 'takedown.object' : 'takedown.reinstated';
    const row = auditRow(app, object.organizationId, null, action, { kind: 'object', id: objectId });
    const written = await allObjects(app).update(
      objectId,
      { version: object.version },
      {
        set: { state, outboxDue: app.records.time() },
        increment: { version: 1 },
        push: { outbox: [{ id: `audit:${row._id}`, kind: 'audit', notBefore: 0, row }, edgeEntry(object)] },
      },
    );
    if (written === null) continue;
    await settleObject(storage, written);
    return { objectId, key: object.key, state };
  }
  throw objectBusy();
}

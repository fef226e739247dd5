import type { Runtime } from '../../../models/runtime.ts';
import type { ObjectContent, ObjectEntry, StoredObject } from '../../../models/storage-object.ts';
import { queuedRun } from '../../../models/work.ts';
import type { StorageContext } from '../tools.ts';
import { countItemId } from '../totals.ts';

type Change = Pick<StoredObject, '_id' | 'organizationId' | 'bucketId'>;
type Clock = Pick<StorageContext, 'records' | 'configuration'>;

/**
 * The entry that counts a change of an object. Its id derives from the object and the version that the change writes.
 */
export function countEntry(
  { records }: Pick<StorageContext, 'records'>,
  { _id: objectId, organizationId, bucketId }: Change,
  version: number,
  change: { objects: number; bytes: number },
): ObjectEntry {
  const id = `${objectId}.${version}`;
  return {
    id: countItemId(id),
    kind: 'count',
    notBefore: 0,
    delta: { _id: id, organizationId, bucketId, objectId, at: records.time(), ...change },
  };
}

/** The entry that releases a content: its bytes are removed when the grace period for readers is over. */
export function releaseEntry(
  { records, configuration }: Clock,
  organizationId: string,
  content: Pick<ObjectContent, 'id'>,
): Extract<ObjectEntry, { kind: 'release' }> {
  return {
    id: `release:${content.id}`,
    kind: 'release',
    notBefore: 0,
    content: {
      _id: content.id,
      organizationId,
      dueAt: records.time() + configuration.PLY_OBJECTS_GRACE_SECONDS * 1000,
    },
  };
}

/** The entry that has the declared SHA-256 of an object checked. */
export function verifyEntry(
  { records, runtime }: Pick<StorageContext, 'records'> & { runtime: Pick<Runtime, 'uuid'> },
  { _id: objectId, organizationId }: Change,
  { content, size, sha256 }: { content: ObjectContent; size: number; sha256: string },
): ObjectEntry {
  return {
    id: `verify:${content.id}`,
    kind: 'verify',
    notBefore: 0,
    check: {
      _id: content.id,
      organizationId,
      version: 1,
      objectId,
      content,
      size,
      sha256,
      outbox: [],
      run: queuedRun(runtime.uuid(), 'verifying', records.time()),
    },
  };
}

/** The entry that makes edges drop their copies of an object. */
export function edgeEntry({ bucketId, key, version }: Pick<StoredObject, 'bucketId' | 'key' | 'version'>): ObjectEntry {
  return { id: `edge:${version}`, kind: 'edge', notBefore: 0, change: { kind: 'object', bucketId, key } };
}

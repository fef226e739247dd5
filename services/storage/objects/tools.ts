import type { Collection } from '../../../adapters/records/port.ts';
import { Refusal } from '../../../models/errors.ts';
import { behindPrefix, listKeyOf } from '../../../models/storage-key.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { storedObjects, type StoredObject } from '../../../models/storage-object.ts';
import type { StorageContext } from '../tools.ts';

type Records = Pick<StorageContext, 'records'>;

/** The objects of one organization. */
export function objectsOf({ records }: Records, organizationId: string): Collection<StoredObject> {
  return records.collection(storedObjects, scopeOf(organizationId));
}

/** The objects of all organizations, for background work. */
export function allObjects({ records }: Records): Collection<StoredObject> {
  return records.collection(storedObjects, systemScope);
}

/** An object of the organization that exists, disabled or not. @throws Refusal `object_not_found` */
export async function findObject(app: Records, organizationId: string, objectId: string): Promise<StoredObject> {
  const object = await objectsOf(app, organizationId).get(objectId);
  if (object === null || object.liveKey === undefined) throw new Refusal('object_not_found');
  return object;
}

/** The object with a key, disabled or not; null if there is none. */
export async function objectWithKey(
  app: Records,
  { organizationId, bucketId, key }: Pick<StoredObject, 'organizationId' | 'bucketId' | 'key'>,
): Promise<StoredObject | null> {
  const [object] = await objectsOf(app, organizationId).find({ filter: { bucketId, liveKey: key }, limit: 1 });
  return object ?? null;
}

/** The objects with keys, disabled or not, by key. */
export async function objectsWithKeys(
  app: Records,
  { organizationId, bucketId }: Pick<StoredObject, 'organizationId' | 'bucketId'>,
  keys: readonly string[],
): Promise<Map<string, StoredObject>> {
  const found = await objectsOf(app, organizationId).find({
    filter: { bucketId, liveKey: { $in: keys } },
    limit: keys.length,
  });
  return new Map(found.map((object) => [object.key, object]));
}

/** Up to `limit` objects whose keys begin with a folder, in the order of lists. @param after the last one of the page before */
export async function objectsUnder(
  app: Records,
  { organizationId, bucketId }: Pick<StoredObject, 'organizationId' | 'bucketId'>,
  folder: string,
  limit: number,
  after?: Pick<StoredObject, 'listKey'>,
): Promise<StoredObject[]> {
  const from = listKeyOf(folder);
  const end = behindPrefix(from);
  return objectsOf(app, organizationId).find({
    filter: { bucketId, listKey: { $exists: true, $gte: from, ...(end === null ? {} : { $lt: end }) } },
    sort: [['listKey', 1]],
    limit,
    ...(after?.listKey === undefined ? {} : { after: [after.listKey] }),
  });
}

/** The refusal of a change after too many concurrent changes of the same object. */
export function objectBusy(): Refusal {
  return new Refusal('object_busy', { retryable: true, retryAfter: 1 });
}

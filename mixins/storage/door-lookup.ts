import { buckets, type Bucket } from '../../models/bucket.ts';
import { scopeOf } from '../../models/scope.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import type { AppContext } from '../app-context.ts';

type Context = Pick<AppContext, 'records'>;

/** The organization's own bucket with a name, in any state; null if there is none. */
export async function bucketNamed({ records }: Context, organizationId: string, name: string): Promise<Bucket | null> {
  const [bucket] = await records
    .collection(buckets, scopeOf(organizationId))
    .find({ filter: { nameKey: name }, limit: 1 });
  return bucket ?? null;
}

/** The stored object with a key; null if there is none, or it is disabled. */
export async function objectNamed(
  { records }: Context,
  { organizationId, _id: bucketId }: Pick<Bucket, 'organizationId' | '_id'>,
  key: string,
): Promise<StoredObject | null> {
  const [object] = await records
    .collection(storedObjects, scopeOf(organizationId))
    .find({ filter: { bucketId, liveKey: key }, limit: 1 });
  return object === undefined || object.state !== 'stored' ? null : object;
}

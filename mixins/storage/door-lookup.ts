import { setTimeout as pause } from 'node:timers/promises';
import { buckets, type Bucket } from '../../models/bucket.ts';
import { scopeOf } from '../../models/scope.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import type { AppContext } from '../app-context.ts';
import { isReadable } from './readable-files.ts';

type Context = Pick<AppContext, 'records'>;

/** How long a new bucket is waited for, and how often it is looked at, in milliseconds. */
const activeTimeoutMs = 10_000;
const lookMs = 20;

/** The organization's own bucket with a name, in any state; null if there is none. */
export async function bucketNamed({ records }: Context, organizationId: string, name: string): Promise<Bucket | null> {
  const [bucket] = await records
    .collection(buckets, scopeOf(organizationId))
    .find({ filter: { nameKey: name }, limit: 1 });
  return bucket ?? null;
}

/** The stored object with a key; null if there is none, or it or its video is disabled. */
export async function objectNamed(
  app: Context,
  { organizationId, _id: bucketId }: Pick<Bucket, 'organizationId' | '_id'>,
  key: string,
): Promise<StoredObject | null> {
  const [object] = await app.records
    .collection(storedObjects, scopeOf(organizationId))
    .find({ filter: { bucketId, liveKey: key }, limit: 1 });
  return object !== undefined && (await isReadable(app, object)) ? object : null;
}

/** Waits until a new bucket is active; null where it failed, was deleted, or takes too long. */
export async function activatedBucket(
  { records }: Context,
  organizationId: string,
  bucketId: string,
): Promise<Bucket | null> {
  const own = records.collection(buckets, scopeOf(organizationId));
  const deadline = performance.now() + activeTimeoutMs;
  for (;;) {
    const bucket = await own.get(bucketId);
    if (bucket?.state === 'active') return bucket;
    if (bucket === null || bucket.state === 'failed' || performance.now() > deadline) return null;
    await pause(lookMs);
  }
}

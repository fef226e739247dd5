import { buckets, type Bucket } from '../../models/bucket.ts';
import { scopeOf } from '../../models/scope.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import type { AppContext } from '../app-context.ts';
import { bucketOfHostname } from './hostnames.ts';
import { isReadable } from './readable-files.ts';

/** The parts of the app that finding a bucket by its address needs. */
type Context = Pick<AppContext, 'records' | 'configuration'>;

/** A file of an organization's own bucket, as its delivery address names it. */
export interface OwnFile {
  bucket: Bucket;
  key: string;
}

/** The key that the path of an address names; null if it names none. */
function keyOf({ pathname }: URL): string | null {
  try {
    const key = pathname.slice(1).split('/').map(decodeURIComponent).join('/');
    return key === '' ? null : key;
  } catch {
    // Percent signs that escape nothing.
    return null;
  }
}

/** The name of the bucket whose default hostname this is; null for other hosts. */
function bucketNameOf({ configuration }: Context, hostname: string): string | null {
  const end = `.${configuration.PLY_DELIVERY_DOMAIN}`;
  const name = hostname.endsWith(end) ? hostname.slice(0, -end.length) : '';
  return name === '' || name.includes('.') ? null : name;
}

/** The organization's bucket that is delivered under a hostname; null if none of its own is. */
async function ownBucketOf(app: Context, organizationId: string, hostname: string): Promise<Bucket | null> {
  const own = app.records.collection(buckets, scopeOf(organizationId));
  const name = bucketNameOf(app, hostname);
  if (name !== null) return (await own.find({ filter: { nameKey: name }, limit: 1 }))[0] ?? null;
  const holder = await bucketOfHostname(app, hostname);
  return holder?.organizationId === organizationId ? own.get(holder.bucketId) : null;
}

/**
 * The file of the organization's own buckets that an address names: `https://`, a hostname of the bucket (the default
 * one or an active custom domain), and the key. Null for every other address, also for those of other organizations'
 * buckets. Whether there is such an object is not looked at.
 */
export async function ownFileOf(app: Context, organizationId: string, address: string): Promise<OwnFile | null> {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol !== 'https:' || url.port !== '' || url.search !== '' || url.username !== '') return null;
  const key = keyOf(url);
  const bucket = key === null ? null : await ownBucketOf(app, organizationId, url.hostname);
  return bucket === null || key === null ? null : { bucket, key };
}

/** The object with a key of a bucket; null if there is none that may be read. */
export async function readableObject(
  app: Pick<Context, 'records'>,
  { _id, organizationId }: Pick<Bucket, '_id' | 'organizationId'>,
  key: string,
): Promise<StoredObject | null> {
  const [object] = await app.records
    .collection(storedObjects, scopeOf(organizationId))
    .find({ filter: { bucketId: _id, liveKey: key }, limit: 1 });
  return object !== undefined && (await isReadable(app, object)) ? object : null;
}

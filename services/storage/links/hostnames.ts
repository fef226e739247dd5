import type { Bucket } from '../../../models/bucket.ts';
import { defaultHostname } from '../buckets/view.ts';
import type { StorageContext } from '../tools.ts';

/** The hostnames that a bucket is delivered under, its default one first. */
export function hostnamesOf(app: StorageContext, bucket: Bucket): Promise<[string, ...string[]]> {
  return Promise.resolve([defaultHostname(app, bucket.name)]);
}

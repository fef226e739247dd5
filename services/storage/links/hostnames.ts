import { activeHostnames } from '../../../mixins/storage/hostnames.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { defaultHostname } from '../buckets/view.ts';
import type { StorageContext } from '../tools.ts';

/** The hostnames that a bucket is delivered under, its default one first. */
export async function hostnamesOf(
  app: StorageContext,
  { organizationId, _id, name }: Pick<Bucket, 'organizationId' | '_id' | 'name'>,
): Promise<[string, ...string[]]> {
  return [defaultHostname(app, name), ...(await activeHostnames(app, organizationId, _id))];
}

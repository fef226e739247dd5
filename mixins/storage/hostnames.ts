import { domains } from '../../models/domain.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import type { AppContext } from '../app-context.ts';

/** Most custom domains of a bucket. */
export const maxDomainsOfBucket = 8;

/** The active custom domains of a bucket, oldest first: it is delivered under them as under its default hostname. */
export async function activeHostnames(
  { records }: Pick<AppContext, 'records'>,
  organizationId: string,
  bucketId: string,
): Promise<string[]> {
  const found = await records.collection(domains, scopeOf(organizationId)).find({
    filter: { bucketId, listedAt: { $exists: true } },
    sort: [
      ['listedAt', 1],
      ['_id', 1],
    ],
    limit: maxDomainsOfBucket,
  });
  return found.filter(({ state }) => state === 'active').map(({ hostname }) => hostname);
}

/**
 * The bucket that is delivered under a custom domain; null where none is.
 * @param hostname in lower case and `xn--` form
 */
export async function bucketOfHostname(
  { records }: Pick<AppContext, 'records'>,
  hostname: string,
): Promise<{ organizationId: string; bucketId: string } | null> {
  const [holder] = await records
    .collection(domains, systemScope)
    .find({ filter: { claimedHostname: hostname }, limit: 1 });
  if (holder === undefined || holder.state !== 'active' || holder.deletedAt !== null) return null;
  return { organizationId: holder.organizationId, bucketId: holder.bucketId };
}

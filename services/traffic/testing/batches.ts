import type { AppContext } from '../../../mixins/app-context.ts';
import { buckets, type Bucket, type BucketSettings } from '../../../models/bucket.ts';
import { systemScope } from '../../../models/scope.ts';
import type { ServedRow } from '../../../models/traffic.ts';
import { testBucket } from '../../../test/support/bucket.ts';

/** A response as tests give it; the rest has defaults. */
export interface Response {
  bucketId: string;
  at: number;
  bytes: number;
  status?: number;
  country?: string | null;
  cache?: ServedRow[4];
  key?: string;
  query?: string;
  isLinkValid?: boolean;
}

/** The lines of a batch, as an edge writes them. */
export function linesOf(responses: readonly Response[]): string {
  return responses
    .map(
      ({ bucketId, at, bytes, status = 200, country = null, cache = null, key = 'a', query = '', isLinkValid }) =>
        `${JSON.stringify(['organization', bucketId, at, status, bytes, country, cache, key, query, isLinkValid === true ? 1 : 0])}\n`,
    )
    .join('');
}

/** Stores an active bucket. */
export async function placeBucket(
  { records }: Pick<AppContext, 'records'>,
  fields: Partial<Bucket> & Pick<Bucket, '_id'>,
  analytics: Partial<BucketSettings['analytics']> = {},
): Promise<void> {
  const bucket = testBucket({ organizationId: 'o', name: fields._id, ...fields });
  bucket.settings.analytics = { ...bucket.settings.analytics, ...analytics };
  await records.collection(buckets, systemScope).insert(bucket);
}

import { randomUUID } from 'node:crypto';
import { until } from '../../api/support/client.ts';
import type { BucketView } from '../../../models/bucket.ts';
import type { PurgeView } from '../../../models/purge.ts';
import type { Asker } from './asker.ts';

/** Purges of an active bucket: their successes and errors. @param otherId a bucket that may be deleted */
export async function askAboutPurges(
  { succeed, refused }: Asker,
  { id: bucketId, defaultHostname }: BucketView,
  otherId: string,
): Promise<void> {
  const ids = { bucketId };
  const body = { urls: [`https://${defaultHostname}/a%20b`] };
  const { id } = await succeed<PurgeView>('createPurge', { ids, body });
  await until(
    () => succeed<PurgeView>('readPurge', { ids: { purgeId: id } }),
    ({ state }) => state === 'succeeded',
  );
  await succeed('createPurge', { ids, body: { prefixes: ['a/'] } });
  await succeed('createPurge', { ids, body: { all: true } });
  await refused('createPurge', 'purge_url_not_in_bucket', { ids, body: { urls: ['https://example.com/a'] } });
  await refused('createPurge', 'bucket_not_found', { ids: { bucketId: randomUUID() }, body });
  await succeed('removeBucket', { ids: { bucketId: otherId } });
  await refused('createPurge', 'bucket_not_active', { ids: { bucketId: otherId }, body: { all: true } });
  await refused('readPurge', 'purge_not_found', { ids: { purgeId: randomUUID() } });
  const { nextCursor } = await succeed<{ nextCursor: string }>('listPurges', { query: '?limit=1' });
  await succeed('listPurges', { query: `?cursor=${nextCursor}&bucketId=${bucketId}` });
}

import { randomUUID } from 'node:crypto';
import { until } from '../../api/support/client.ts';
import type { BucketView } from '../../../models/bucket.ts';
import { askAboutDomains } from './asker-domains.ts';
import { askAboutPurges } from './asker-purges.ts';
import { askAboutStorageAccount } from './asker-storage-account.ts';
import type { Asker } from './asker.ts';

/** Regions and buckets: their successes and errors. Returns an active bucket. */
export async function askAboutBuckets(asker: Asker): Promise<BucketView> {
  const { succeed, refused } = asker;
  const key = (): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': randomUUID() });
  const name = `b-${randomUUID()}`;
  await succeed('listRegions');
  await succeed('checkBucketName', { query: '?name=a' });
  await succeed('checkBucketName', { query: `?name=${name}` });
  const first = key();
  const { id } = await succeed<BucketView>('createBucket', { body: { name, region: 'eu-central' }, headers: first });
  await refused('createBucket', 'idempotency_conflict', { body: { name, region: 'in-west' }, headers: first });
  const ids = { bucketId: id };
  await refused('createBucket', 'bucket_name_taken', { body: { name, region: 'in-west' }, headers: key() });
  await refused('createBucket', 'region_not_available', { body: { name: 'other', region: 'moon' }, headers: key() });
  const active = await until(
    () => succeed<BucketView>('readBucket', { ids }),
    ({ state }) => state === 'active',
  );
  await succeed('listBuckets');
  await succeed('readSigningProfile', { ids });
  await succeed('rotateSigningKey', { ids });
  await refused('sign', 'domain_not_active', { body: { bucketId: id, key: 'a', hostname: 'files.example.com' } });
  await refused('sign', 'object_not_found', { body: { bucketId: id, key: 'a' } });
  await refused('sign', 'video_not_found', { body: { bucketId: id, videoId: id } });
  await succeed('changeBucket', {
    ids,
    body: {
      delivery: { allowedDomains: ['example.com'], countriesAllow: ['IN'], rateLimitKbps: 64 },
      uploadRules: { maxObjectBytes: 5, allowedTypes: ['image/*'] },
      cache: { edgeTtlSeconds: 1, browserCacheControl: 'public', rules: [{ pathPrefix: 'a/', edgeTtlSeconds: 1 }] },
      cors: { allowedOrigins: ['https://example.com'], allowCredentials: true },
      analytics: { enabled: true, dimensions: [{ name: 'a', type: 'tag', tag: 'a' }], ceiling: 100 },
    },
  });
  await succeed('retryBucket', { ids });
  const second = await succeed<BucketView>('createBucket', {
    body: { name: `b-${randomUUID()}`, region: 'us-east', visibility: 'public' },
    headers: key(),
  });
  await succeed('removeBucket', { ids: { bucketId: second.id } });
  for (const operation of ['changeBucket', 'retryBucket', 'rotateSigningKey'])
    await refused(operation, 'bucket_not_active', {
      ids: { bucketId: second.id },
      ...(operation === 'changeBucket' ? { body: {} } : {}),
    });
  await refused('sign', 'bucket_not_active', { body: { bucketId: second.id, key: 'a' } });
  const failures = await until(
    () => succeed<BucketView>('readBucket', { ids: { bucketId: second.id } }),
    ({ state }) => state === 'deleted',
  );
  if (failures.purgeAfter === null) throw new Error('a deleted bucket has no end of its window');
  await succeed('restoreBucket', { ids: { bucketId: second.id } });
  await askAboutDomains(asker, id);
  await askAboutPurges(asker, active, second.id);
  await askAboutStorageAccount(asker);
  return active;
}

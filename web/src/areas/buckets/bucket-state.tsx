import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components, paths } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Badge } from '../../ui/states.tsx';
import { bucketMessages } from './messages.ts';

/** A bucket, or a library. */
export type Bucket = components['schemas']['Bucket'];
/** Changed settings of a bucket; null restores a default. */
export type BucketChange = NonNullable<
  paths['/api/content/v1/buckets/{bucketId}']['patch']['requestBody']
>['content']['application/json'];

const soon = 1500;

/** Milliseconds until buckets are looked at again; false while none is on its way to another state. */
export function nextLookAt(buckets: readonly Bucket[]): number | false {
  return buckets.some(({ state }) => state === 'creating' || state === 'deleting') ? soon : false;
}

/** A bucket, looked at again while it is being created or deleted. */
export function useBucket(bucketId: string): UseQueryResult<Bucket> {
  return useQuery({
    queryKey: ['bucket', bucketId],
    queryFn: () => answered(api.GET('/api/content/v1/buckets/{bucketId}', { params: { path: { bucketId } } })),
    refetchInterval: ({ state }) => nextLookAt(state.data === undefined ? [] : [state.data]),
  });
}

const tones = { creating: 'warn', active: 'good', failed: 'bad', deleting: 'warn', deleted: 'bad' } as const;

/** The state of a bucket as a word. */
export function BucketBadge({ bucket }: { bucket: Pick<Bucket, 'state' | 'suspended'> }): ReactElement {
  const t = useMessages(bucketMessages);
  if (bucket.suspended) return <Badge tone="bad">{t('suspended')}</Badge>;
  return <Badge tone={tones[bucket.state]}>{t(bucket.state)}</Badge>;
}

const reasons = [
  'certificate_pending',
  'no_storage_capacity',
  'no_cdn_capacity',
  'provider_unavailable',
  'provisioning_failed',
] as const;

/** The message that tells why creating a bucket failed; reasons that are not known count as the general one. */
export function reasonMessage(reason: string | null): `reason_${(typeof reasons)[number]}` {
  return `reason_${reasons.find((name) => name === reason) ?? 'provisioning_failed'}`;
}

import { useQueryClient } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { toast } from '../../ui/toast.tsx';
import type { BucketChange } from './bucket-state.tsx';
import { bucketSettingMessages } from './setting-messages.ts';

/** Saves changed settings of a bucket. */
export function useSaveBucket(bucketId: string): (change: BucketChange) => Promise<void> {
  const t = useMessages(bucketSettingMessages);
  const queries = useQueryClient();
  return async (change) => {
    const params = { path: { bucketId } };
    const bucket = await answered(api.PATCH('/api/content/v1/buckets/{bucketId}', { params, body: change }));
    toast(t('saved'));
    queries.setQueryData(['bucket', bucketId], bucket);
    await queries.invalidateQueries({ queryKey: ['buckets'] });
  };
}

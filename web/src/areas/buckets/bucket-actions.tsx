import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Bucket } from './bucket-state.tsx';
import { bucketMessages } from './messages.ts';

type Act = 'remove' | 'restore' | 'retry';

function useAct(bucket: Bucket): UseMutationResult<Bucket, Error, Act> {
  const t = useMessages(bucketMessages);
  const queries = useQueryClient();
  const given = { params: { path: { bucketId: bucket.id } } };
  return useMutation({
    mutationFn: (act: Act) => {
      if (act === 'remove') return answered(api.DELETE('/api/content/v1/buckets/{bucketId}', given));
      if (act === 'restore') return answered(api.POST('/api/content/v1/buckets/{bucketId}/restore', given));
      return answered(api.POST('/api/content/v1/buckets/{bucketId}/retry', given));
    },
    onSuccess: async (changed, act) => {
      toast(t(act === 'remove' ? 'removed' : act === 'restore' ? 'restored' : 'retried', { name: bucket.name }));
      queries.setQueryData(['bucket', bucket.id], changed);
      for (const key of [['buckets'], ['libraries'], ['library', bucket.id]])
        await queries.invalidateQueries({ queryKey: key });
    },
  });
}

/** Tries to create a failed bucket again. */
export function RetryButton({ bucket }: { bucket: Bucket }): ReactElement {
  const t = useMessages(bucketMessages);
  const act = useAct(bucket);
  return (
    <Allowed role="admin" isQuiet>
      {act.isError && <FailureNotice error={act.error} />}
      <Button icon="refresh" isBusy={act.isPending} onClick={() => act.mutate('retry')}>
        {t('retry')}
      </Button>
    </Allowed>
  );
}

/** Brings a deleted bucket back. */
export function RestoreButton({ bucket }: { bucket: Bucket }): ReactElement {
  const t = useMessages(bucketMessages);
  const act = useAct(bucket);
  return (
    <Allowed role="admin" isQuiet>
      {act.isError && <FailureNotice error={act.error} />}
      <Button look="primary" icon="refresh" isBusy={act.isPending} onClick={() => act.mutate('restore')}>
        {t('restore')}
      </Button>
    </Allowed>
  );
}

/** What can be done with a bucket as a whole; a library has pages of its own for that. */
export function BucketActions({ bucket }: { bucket: Bucket }): ReactElement | null {
  const t = useMessages(bucketMessages);
  const act = useAct(bucket);
  const [isAsking, setAsking] = useState(false);
  if (bucket.kind === 'video' || bucket.state === 'deleted' || bucket.state === 'deleting') return null;
  return (
    <Allowed role="admin" isQuiet>
      <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
        {t('remove')}
      </Button>
      {act.isError && <FailureNotice error={act.error} />}
      {isAsking && (
        <ConfirmDialog
          title={t('removeTitle', { name: bucket.name })}
          action={t('remove')}
          name={bucket.name}
          isBusy={act.isPending}
          onConfirm={() => act.mutate('remove', { onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>{t('removeText')}</p>
        </ConfirmDialog>
      )}
    </Allowed>
  );
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, FailureNotice, Skeletons } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { profileMessages } from './messages.ts';

/** The own sessions, each of which can be ended. */
export function Sessions(): ReactElement {
  const t = useMessages(profileMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const list = useQuery({ queryKey: ['sessions'], queryFn: () => answered(api.GET('/api/dashboard/sessions')) });
  const end = useMutation({
    mutationFn: (sessionId: string | null) =>
      sessionId === null
        ? answered(api.DELETE('/api/dashboard/sessions'))
        : answered(api.DELETE('/api/dashboard/sessions/{sessionId}', { params: { path: { sessionId } } })),
    onSuccess: async () => {
      toast(t('ended'));
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  const items = list.data?.items ?? [];
  return (
    <section className="stack">
      <div className="page-head">
        <h2>{t('sessions')}</h2>
        {items.length > 1 && <Button onClick={() => end.mutate(null)}>{t('endOthers')}</Button>}
      </div>
      {list.isPending && <Skeletons lines={2} />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {end.isError && <FailureNotice error={end.error} />}
      {items.length > 0 && (
        <Table
          label={t('sessions')}
          rows={items}
          keyOf={({ id }) => id}
          columns={[
            {
              id: 'client',
              title: t('client'),
              width: 'minmax(0, 2fr)',
              cell: ({ userAgent }) => <span title={userAgent ?? ''}>{userAgent ?? t('unknown')}</span>,
            },
            { id: 'from', title: t('from'), width: '10rem', isWide: true, cell: ({ ip }) => ip ?? t('unknown') },
            {
              id: 'began',
              title: t('began'),
              width: '9rem',
              isWide: true,
              cell: ({ createdAt }) => format.ago(createdAt),
            },
            {
              id: 'actions',
              title: t('actions'),
              width: '8rem',
              cell: ({ id, isCurrent }) =>
                isCurrent ? (
                  <Badge tone="good">{t('this')}</Badge>
                ) : (
                  <Button look="quiet" onClick={() => end.mutate(id)}>
                    {t('end')}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </section>
  );
}

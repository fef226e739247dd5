import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { peopleMessages } from './messages.ts';

/** Invitations that were not accepted yet. */
export function Invitations(): ReactElement {
  const t = useMessages(peopleMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const list = useQuery({ queryKey: ['invitations'], queryFn: () => answered(api.GET('/api/dashboard/invitations')) });
  const revoke = useMutation({
    mutationFn: (invitationId: string) =>
      answered(api.DELETE('/api/dashboard/invitations/{invitationId}', { params: { path: { invitationId } } })),
    onSuccess: async () => {
      toast(t('revoked'));
      await queries.invalidateQueries({ queryKey: ['invitations'] });
    },
  });
  return (
    <section className="stack">
      <h2>{t('waiting')}</h2>
      {list.isPending && <Skeletons lines={2} />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {revoke.isError && <FailureNotice error={revoke.error} />}
      {list.data?.items.length === 0 && <p className="muted">{t('nobodyWaits')}</p>}
      {list.data !== undefined && list.data.items.length > 0 && (
        <Table
          label={t('waiting')}
          rows={list.data.items}
          keyOf={({ id }) => id}
          columns={[
            { id: 'email', title: t('email'), width: 'minmax(0, 2fr)', cell: ({ email }) => email },
            { id: 'role', title: t('role'), width: '8rem', isWide: true, cell: ({ role }) => t(role) },
            {
              id: 'expires',
              title: t('expires'),
              width: 'minmax(0, 1fr)',
              isWide: true,
              cell: ({ expiresAt }) => format.time(expiresAt),
            },
            {
              id: 'actions',
              title: t('actions'),
              width: '4.5rem',
              cell: ({ id }) => (
                <Button look="quiet" icon="close" label={t('revoke')} onClick={() => revoke.mutate(id)} />
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

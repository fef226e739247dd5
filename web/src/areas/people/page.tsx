import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, roles, useMe, type Role } from '../../api/me.ts';
import type { components } from '../../api/schema.d.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { peopleMessages } from './messages.ts';

type Person = components['schemas']['Person'];
type Change = { role?: Role; isActive?: boolean };

/** The people of the account, for those who may manage them. */
export function PeoplePage(): ReactElement {
  const t = useMessages(peopleMessages);
  const [isInviting, setInviting] = useState(false);
  return (
    <div className="page">
      <PageHead
        title={t('title')}
        actions={
          <Allowed role="admin" isQuiet>
            <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
              {t('invite')}
            </Button>
          </Allowed>
        }
      >
        {t('lead')}
      </PageHead>
      <Allowed role="admin">
        <People />
        <Invitations />
        {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      </Allowed>
    </div>
  );
}

function People(): ReactElement {
  const t = useMessages(peopleMessages);
  const format = useFormat();
  const me = useMe();
  const queries = useQueryClient();
  const [leaving, setLeaving] = useState<Person | null>(null);
  const list = useQuery({ queryKey: ['people'], queryFn: () => answered(api.GET('/api/dashboard/people')) });
  const change = useMutation({
    mutationFn: ({ userId, ...body }: Change & { userId: string }) =>
      answered(api.PATCH('/api/dashboard/people/{userId}', { params: { path: { userId } }, body })),
    onSuccess: async ({ email }) => {
      toast(t('changed', { email }));
      await queries.invalidateQueries({ queryKey: ['people'] });
      await queries.invalidateQueries({ queryKey: ['me'] });
    },
  });
  if (list.isPending) return <Skeletons />;
  if (list.isError) return <FailureNotice error={list.error} onRetry={() => void list.refetch()} />;
  const own = me?.role ?? 'reader';
  const columns: readonly Column<Person>[] = [
    {
      id: 'email',
      title: t('email'),
      width: 'minmax(0, 2fr)',
      cell: ({ email, userId }) => (
        <span className="name">{userId === me?.userId ? `${email} (${t('you')})` : email}</span>
      ),
    },
    {
      id: 'role',
      title: t('role'),
      width: 'minmax(7rem, 1fr)',
      cell: ({ userId, email, role }) =>
        includesRole(own, role) ? (
          <select
            className="input"
            aria-label={t('roleOf', { email })}
            value={role}
            onChange={({ target }) => {
              const given = roles.find((name) => name === target.value);
              if (given !== undefined) change.mutate({ userId, role: given });
            }}
          >
            {roles
              .filter((name) => includesRole(own, name))
              .map((name) => (
                <option key={name} value={name}>
                  {t(name)}
                </option>
              ))}
          </select>
        ) : (
          t(role)
        ),
    },
    {
      id: 'state',
      title: t('state'),
      width: '8rem',
      isWide: true,
      cell: ({ isActive }) =>
        isActive ? <Badge tone="good">{t('active')}</Badge> : <Badge tone="warn">{t('inactive')}</Badge>,
    },
    {
      id: 'factor',
      title: t('secondFactor'),
      width: '7rem',
      isWide: true,
      cell: ({ secondFactor }) => (secondFactor ? t('on') : t('off')),
    },
    { id: 'since', title: t('since'), width: '8rem', isWide: true, cell: ({ createdAt }) => format.ago(createdAt) },
    {
      id: 'actions',
      title: t('actions'),
      width: '4.5rem',
      cell: (person) =>
        !includesRole(own, person.role) ? null : person.isActive ? (
          <Button look="quiet" icon="close" label={t('deactivate')} onClick={() => setLeaving(person)} />
        ) : (
          <Button
            look="quiet"
            icon="check"
            label={t('reactivate')}
            onClick={() => change.mutate({ userId: person.userId, isActive: true })}
          />
        ),
    },
  ];
  return (
    <section className="stack">
      {change.isError && <FailureNotice error={change.error} />}
      <Table label={t('title')} columns={columns} rows={list.data.items} keyOf={({ userId }) => userId} />
      {leaving !== null && (
        <ConfirmDialog
          title={t('deactivateTitle', { email: leaving.email })}
          action={t('deactivate')}
          isBusy={change.isPending}
          onConfirm={() => {
            change.mutate({ userId: leaving.userId, isActive: false });
            setLeaving(null);
          }}
          onClose={() => setLeaving(null)}
        >
          <p>{t('deactivateText')}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

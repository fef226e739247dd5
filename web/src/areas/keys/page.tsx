import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { keyMessages } from './messages.ts';

type Key = components['schemas']['ApiKey'];
type Open = { name: 'none' } | { name: 'create' } | { name: 'rotate' | 'deactivate'; key: Key };

/** The API keys of the account, for those who may manage them. */
export function KeysPage(): ReactElement {
  const t = useMessages(keyMessages);
  const [open, setOpen] = useState<Open>({ name: 'none' });
  return (
    <div className="page">
      <PageHead
        title={t('title')}
        actions={
          <Allowed role="admin" isQuiet>
            <Button look="primary" icon="plus" onClick={() => setOpen({ name: 'create' })}>
              {t('create')}
            </Button>
          </Allowed>
        }
      >
        {t('lead')}
      </PageHead>
      <Allowed role="admin">
        <Keys open={open} setOpen={setOpen} />
      </Allowed>
    </div>
  );
}

function Keys({ open, setOpen }: { open: Open; setOpen: (open: Open) => void }): ReactElement {
  const t = useMessages(keyMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const list = useQuery({ queryKey: ['api-keys'], queryFn: () => answered(api.GET('/api/dashboard/api-keys')) });
  const change = useMutation({
    mutationFn: ({ keyId, isActive }: { keyId: string; isActive: boolean }) => {
      const given = { params: { path: { keyId } } };
      return isActive
        ? answered(api.POST('/api/dashboard/api-keys/{keyId}/reactivate', given))
        : answered(api.POST('/api/dashboard/api-keys/{keyId}/deactivate', given));
    },
    onSuccess: async ({ label }) => {
      toast(t('changed', { name: label }));
      await queries.invalidateQueries({ queryKey: ['api-keys'] });
    },
  });
  const close = (): void => setOpen({ name: 'none' });
  const now = Date.now();
  const columns: readonly Column<Key>[] = [
    {
      id: 'label',
      title: t('label'),
      width: 'minmax(0, 1fr)',
      cell: ({ label }) => <span className="name">{label}</span>,
    },
    { id: 'prefix', title: t('begins'), width: '7.5rem', isWide: true, cell: ({ prefix }) => <code>{prefix}</code> },
    { id: 'scope', title: t('scope'), width: '5rem', isWide: true, cell: ({ scope }) => scope },
    {
      id: 'state',
      title: t('state'),
      width: '7rem',
      cell: ({ isActive, expiresAt }) =>
        !isActive ? (
          <Badge tone="warn">{t('inactive')}</Badge>
        ) : expiresAt !== null && Date.parse(expiresAt) <= now ? (
          <Badge tone="bad">{t('expired')}</Badge>
        ) : (
          <Badge tone="good">{t('active')}</Badge>
        ),
    },
    {
      id: 'expires',
      title: t('expires'),
      width: '8.5rem',
      isWide: true,
      cell: ({ expiresAt, formerUntil }) =>
        formerUntil !== null && Date.parse(formerUntil) > now ? (
          <span title={t('overlap', { time: format.time(formerUntil) })}>
            {t('overlap', { time: format.time(formerUntil) })}
          </span>
        ) : expiresAt === null ? (
          t('never')
        ) : (
          format.time(expiresAt)
        ),
    },
    {
      id: 'actions',
      title: t('actions'),
      width: '6rem',
      cell: (key) =>
        key.isActive ? (
          <span className="actions">
            <Button look="quiet" icon="refresh" label={t('rotate')} onClick={() => setOpen({ name: 'rotate', key })} />
            <Button
              look="quiet"
              icon="close"
              label={t('deactivate')}
              onClick={() => setOpen({ name: 'deactivate', key })}
            />
          </span>
        ) : (
          <Button
            look="quiet"
            icon="check"
            label={t('reactivate')}
            onClick={() => change.mutate({ keyId: key.id, isActive: true })}
          />
        ),
    },
  ];
  return (
    <section className="stack">
      {list.isPending && <Skeletons />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {change.isError && <FailureNotice error={change.error} />}
      {list.data !== undefined && (
        <Table label={t('title')} columns={columns} rows={list.data.items} keyOf={({ id }) => id} />
      )}
      {open.name === 'create' && <KeyDialog onClose={close} />}
      {open.name === 'rotate' && <KeyDialog rotates={open.key} onClose={close} />}
      {open.name === 'deactivate' && (
        <ConfirmDialog
          title={`${t('deactivate')}: ${open.key.label}`}
          action={t('deactivate')}
          name={open.key.label}
          onConfirm={() => {
            change.mutate({ keyId: open.key.id, isActive: false });
            close();
          }}
          onClose={close}
        >
          <p>{t('deactivateText')}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Badge, EmptyState, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { AccountCard } from './account-card.tsx';
import { CreateCredential, type CredentialFields } from './create-dialog.tsx';
import { credentialMessages } from './messages.ts';
import { SecretDialog } from './secret.tsx';

type Credential = components['schemas']['StorageCredential'];
type Open = { name: 'none' } | { name: 'create' } | { name: 'rotate' | 'revoke'; credential: Credential };

/** Credentials of S3 and Blob tools, and the storage account, for those who manage them. */
export function CredentialsPage(): ReactElement {
  const t = useMessages(credentialMessages);
  return (
    <div className="page">
      <PageHead title={t('title')}>{t('lead')}</PageHead>
      <Allowed role="admin">
        <Credentials />
        <AccountCard />
      </Allowed>
    </div>
  );
}

function Credentials(): ReactElement {
  const t = useMessages(credentialMessages);
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open>({ name: 'none' });
  const close = (): void => setOpen({ name: 'none' });
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['storage-credentials'] });
  const list = useQuery({
    queryKey: ['storage-credentials'],
    queryFn: () => answered(api.GET('/api/content/v1/storage-credentials')),
  });
  const make = useMutation({
    // The secret is not kept once its dialog is closed.
    gcTime: 0,
    mutationFn: (given: CredentialFields | Credential) =>
      'id' in given
        ? answered(
            api.POST('/api/content/v1/storage-credentials/{credentialId}/rotate', {
              params: { path: { credentialId: given.id } },
            }),
          )
        : answered(api.POST('/api/content/v1/storage-credentials', { body: given })),
    onSuccess: () => {
      close();
      return refresh();
    },
  });
  const revoke = useMutation({
    mutationFn: ({ id }: Credential) =>
      answered(
        api.DELETE('/api/content/v1/storage-credentials/{credentialId}', { params: { path: { credentialId: id } } }),
      ),
    onSuccess: ({ name }) => {
      toast(t('revokedNow', { name }));
      return refresh();
    },
    onSettled: close,
  });
  const start = (
    <Button look="primary" icon="plus" onClick={() => setOpen({ name: 'create' })}>
      {t('create')}
    </Button>
  );
  const rows = list.data?.items ?? [];
  return (
    <section className="stack">
      <div className="page-head">
        <h2>{t('credentials')}</h2>
        {rows.length > 0 && start}
      </div>
      {list.isPending && <Skeletons />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {revoke.isError && <FailureNotice error={revoke.error} />}
      {list.isSuccess && rows.length === 0 && (
        <EmptyState title={t('none')} action={start}>
          {t('noneText')}
        </EmptyState>
      )}
      {rows.length > 0 && <List rows={rows} onOpen={setOpen} />}
      {open.name === 'create' && (
        <CreateCredential error={make.error} isBusy={make.isPending} onCreate={make.mutate} onClose={close} />
      )}
      {open.name === 'rotate' && (
        <ConfirmDialog
          title={t('rotate', { name: open.credential.name })}
          action={t('rotateButton')}
          isBusy={make.isPending}
          onConfirm={() => make.mutate(open.credential)}
          onClose={close}
        >
          <p>{t('rotateText')}</p>
          {make.isError && <FailureNotice error={make.error} />}
        </ConfirmDialog>
      )}
      {open.name === 'revoke' && (
        <ConfirmDialog
          title={t('revoke', { name: open.credential.name })}
          action={t('revokeButton')}
          name={open.credential.name}
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate(open.credential)}
          onClose={close}
        >
          <p>{t('revokeText')}</p>
        </ConfirmDialog>
      )}
      {make.isSuccess && <SecretDialog credential={make.data} onClose={make.reset} />}
    </section>
  );
}

function List({ rows, onOpen }: { rows: readonly Credential[]; onOpen: (open: Open) => void }): ReactElement {
  const t = useMessages(credentialMessages);
  const format = useFormat();
  const now = Date.now();
  const columns: readonly Column<Credential>[] = [
    { id: 'name', title: t('name'), width: 'minmax(0, 1fr)', cell: ({ name }) => name },
    {
      id: 'key',
      title: t('keyId'),
      width: '13rem',
      isWide: true,
      cell: ({ accessKeyId, slot }) =>
        accessKeyId === null ? t('slot', { slot: slot ?? 1 }) : <code>{accessKeyId}</code>,
    },
    {
      id: 'permissions',
      title: t('permissions'),
      width: '11rem',
      isWide: true,
      cell: ({ permissions }) => permissions.map((permission) => t(permission)).join(', '),
    },
    {
      id: 'state',
      title: t('state'),
      width: '6.5rem',
      cell: ({ state, expiresAt }) =>
        state === 'revoked' ? (
          <Badge tone="bad">{t('revoked')}</Badge>
        ) : expiresAt !== null && Date.parse(expiresAt) <= now ? (
          <Badge tone="warn">{t('expired')}</Badge>
        ) : (
          <Badge tone="good">{t('active')}</Badge>
        ),
    },
    {
      id: 'used',
      title: t('lastUsed'),
      width: '7.5rem',
      isWide: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('notUsed') : format.ago(lastUsedAt)),
    },
    {
      id: 'actions',
      title: t('actions'),
      width: '6rem',
      cell: (credential) =>
        credential.state === 'active' && (
          <span className="actions">
            <Button
              look="quiet"
              icon="refresh"
              label={t('rotate', { name: credential.name })}
              onClick={() => onOpen({ name: 'rotate', credential })}
            />
            <Button
              look="quiet"
              icon="close"
              label={t('revoke', { name: credential.name })}
              onClick={() => onOpen({ name: 'revoke', credential })}
            />
          </span>
        ),
    },
  ];
  return <Table label={t('credentials')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

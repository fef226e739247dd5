import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { session } from '../../api/session.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { Badge, EmptyState, FailureNotice, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { inOwnOrganization } from './in-own.ts';
import { organizationMessages } from './messages.ts';
import { OrganizationForm, type OrganizationFields } from './organization-form.tsx';

type Sub = components['schemas']['SubOrganization'];
type Open = { name: 'none' } | { name: 'create' } | { name: 'edit' | 'deactivate'; of: Sub };
interface Saved {
  id: string | null;
  fields: Partial<OrganizationFields> & { isActive?: boolean };
}

/** The sub-organizations, in the order of their creation. */
export function SubOrganizations(): ReactElement {
  const t = useMessages(organizationMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const current = useSyncExternalStore(session.subscribe, session.current);
  const [open, setOpen] = useState<Open>({ name: 'none' });
  const close = (): void => setOpen({ name: 'none' });
  const list = useQuery({
    queryKey: ['sub-organizations'],
    queryFn: () => answered(api.GET('/api/sub-organizations', inOwnOrganization())),
  });
  const save = useMutation({
    mutationFn: ({ id, fields: { name, contactEmail, description, isActive } }: Saved) => {
      const body = {
        ...(contactEmail === undefined ? {} : { contact_email: contactEmail }),
        ...(description === undefined ? {} : { description }),
      };
      return id === null
        ? answered(api.POST('/api/sub-organizations', { ...inOwnOrganization(), body: { name: name ?? '', ...body } }))
        : answered(
            api.PUT('/api/sub-organizations/{id}', {
              ...inOwnOrganization(),
              params: { path: { id } },
              body: {
                ...body,
                ...(name === undefined ? {} : { name }),
                ...(isActive === undefined ? {} : { is_active: isActive }),
              },
            }),
          );
    },
    onSuccess: async ({ name }) => {
      toast(t('saved', { name }));
      close();
      await queries.invalidateQueries({ queryKey: ['sub-organizations'] });
    },
  });
  const look = ({ id, name }: Sub): void => {
    session.choose(id);
    toast(t('opened', { name }));
  };
  const columns: readonly Column<Sub>[] = [
    { id: 'name', title: t('name'), width: 'minmax(0, 2fr)', cell: ({ name }) => name },
    {
      id: 'state',
      title: t('state'),
      width: '8rem',
      isWide: true,
      cell: ({ is_active: isActive }) =>
        isActive ? <Badge tone="good">{t('active')}</Badge> : <Badge tone="warn">{t('inactive')}</Badge>,
    },
    { id: 'created', title: t('created'), width: '8rem', isWide: true, cell: (sub) => format.ago(sub.created_at) },
    {
      id: 'actions',
      title: t('actions'),
      width: 'minmax(10rem, 21rem)',
      cell: (sub) => (
        <span className="actions">
          {sub.id === current?.organizationId ? (
            <Badge tone="good">{t('current')}</Badge>
          ) : (
            sub.is_active && (
              <Button look="quiet" onClick={() => look(sub)}>
                {t('open')}
              </Button>
            )
          )}
          <Button
            look="quiet"
            icon="pen"
            label={`${t('edit')}: ${sub.name}`}
            onClick={() => setOpen({ name: 'edit', of: sub })}
          />
          {sub.is_active ? (
            <Button look="quiet" onClick={() => setOpen({ name: 'deactivate', of: sub })}>
              {t('deactivate')}
            </Button>
          ) : (
            <Button look="quiet" onClick={() => save.mutate({ id: sub.id, fields: { isActive: true } })}>
              {t('reactivate')}
            </Button>
          )}
        </span>
      ),
    },
  ];
  const create = (
    <Button icon="plus" onClick={() => setOpen({ name: 'create' })}>
      {t('create')}
    </Button>
  );
  return (
    <section className="stack">
      <div className="page-head">
        <h2>{t('subs')}</h2>
        {(list.data?.length ?? 0) > 0 && create}
      </div>
      {list.isPending && <Skeletons />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {save.isError && open.name === 'none' && <FailureNotice error={save.error} />}
      {list.data?.length === 0 && (
        <EmptyState title={t('empty')} action={create}>
          {t('emptyText')}
        </EmptyState>
      )}
      {list.data !== undefined && list.data.length > 0 && (
        <Table label={t('subs')} columns={columns} rows={list.data} keyOf={({ id }) => id} />
      )}
      {(open.name === 'create' || open.name === 'edit') && (
        <Dialog title={open.name === 'create' ? t('create') : open.of.name} onClose={close}>
          <OrganizationForm
            {...(open.name === 'edit' && {
              given: {
                name: open.of.name,
                contactEmail: open.of.contact_email,
                description: open.of.description,
              },
            })}
            action={open.name === 'create' ? t('create') : t('save')}
            isBusy={save.isPending}
            error={save.error}
            onSave={(fields) => save.mutate({ id: open.name === 'edit' ? open.of.id : null, fields })}
          />
        </Dialog>
      )}
      {open.name === 'deactivate' && (
        <ConfirmDialog
          title={`${t('deactivate')}: ${open.of.name}`}
          action={t('deactivate')}
          name={open.of.name}
          isBusy={save.isPending}
          onConfirm={() => save.mutate({ id: open.of.id, fields: { isActive: false } })}
          onClose={close}
        >
          <p>{t('deactivateText')}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

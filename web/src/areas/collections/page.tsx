import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, useMe } from '../../api/me.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { EmptyState, FailureNotice, PageHead } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { CollectionDialog, type Collection } from './collection-dialog.tsx';
import { collectionMessages } from './messages.ts';

type Open = { name: 'none' } | { name: 'create' } | { name: 'edit' | 'remove'; of: Collection };
const pageSize = 200;

/** The collections of the organization. */
export function CollectionsPage(): ReactElement {
  const t = useMessages(collectionMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const mayChange = includesRole(useMe()?.role ?? 'reader', 'editor');
  const [open, setOpen] = useState<Open>({ name: 'none' });
  const close = (): void => setOpen({ name: 'none' });
  const list = useInfiniteQuery({
    queryKey: ['collections', 'pages'],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) =>
      answered(api.GET('/api/content/v1/collections', { params: { query: { limit: pageSize, offset } } })),
    getNextPageParam: ({ items }, pages) => (items.length < pageSize ? undefined : pages.length * pageSize),
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const remove = useMutation({
    mutationFn: ({ externalId }: Collection) =>
      answered(api.DELETE('/api/content/v1/collections/{externalId}', { params: { path: { externalId } } })),
    onSuccess: async (_, { name }) => {
      toast(t('removed', { name }));
      close();
      await queries.invalidateQueries({ queryKey: ['collections'] });
    },
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const taken = useMemo(() => new Set(rows.map(({ externalId }) => externalId)), [rows]);
  const create = mayChange ? (
    <Button look="primary" icon="plus" onClick={() => setOpen({ name: 'create' })}>
      {t('create')}
    </Button>
  ) : undefined;
  const columns: readonly Column<Collection>[] = [
    { id: 'name', title: t('name'), width: 'minmax(6rem, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
    { id: 'id', title: t('id'), width: 'minmax(0, 1fr)', isWide: true, cell: ({ externalId }) => externalId },
    {
      id: 'files',
      title: t('files'),
      width: '5rem',
      isWide: true,
      cell: ({ assetCount }) => <span className="numeric">{format.number(assetCount)}</span>,
    },
    { id: 'changed', title: t('changed'), width: '8rem', isWide: true, cell: ({ updatedAt }) => format.ago(updatedAt) },
    {
      id: 'actions',
      title: <span className="visually-hidden">{t('actions')}</span>,
      width: mayChange ? '12rem' : '8rem',
      cell: (collection) => (
        <span className="actions">
          <Link to="/search" search={{ collection: collection.externalId }}>
            {t('search')}
          </Link>
          {mayChange && (
            <>
              <Button
                look="quiet"
                icon="pen"
                label={t('edit', { name: collection.name })}
                onClick={() => setOpen({ name: 'edit', of: collection })}
              />
              <Button
                look="quiet"
                icon="trash"
                label={t('remove', { name: collection.name })}
                onClick={() => setOpen({ name: 'remove', of: collection })}
              />
            </>
          )}
        </span>
      ),
    },
  ];
  return (
    <div className="page">
      <PageHead title={t('title')} actions={rows.length > 0 ? create : undefined}>
        {t('lead')}
      </PageHead>
      {remove.isError && <FailureNotice error={remove.error} />}
      <LoadedTable
        list={list}
        empty={
          <EmptyState title={t('empty')} action={create}>
            {t('emptyText')}
          </EmptyState>
        }
        label={t('title')}
        columns={columns}
        rows={rows}
        keyOf={({ externalId }) => externalId}
        onEnd={more}
      />
      {rows.length > 0 && mayChange && (
        <p className="muted">
          {t('membership')} <Link to="/files">{t('toFiles')}</Link>
        </p>
      )}
      {(open.name === 'create' || open.name === 'edit') && (
        <CollectionDialog {...(open.name === 'edit' && { collection: open.of })} taken={taken} onClose={close} />
      )}
      {open.name === 'remove' && (
        <ConfirmDialog
          title={t('remove', { name: open.of.name })}
          action={t('removeShort')}
          name={open.of.name}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(open.of)}
          onClose={close}
        >
          <p>{t('removeText')}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

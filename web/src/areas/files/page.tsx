import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { EmptyState, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { fileMessages } from './messages.ts';

type Asset = components['schemas']['Asset'];

const pageSize = 100;

/** The files of the organization, newest first. */
export function FilesPage(): ReactElement {
  const t = useMessages(fileMessages);
  const format = useFormat();
  const list = useInfiniteQuery({
    queryKey: ['assets'],
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      answered(api.GET('/api/content/v1/assets', { params: { query: { limit: pageSize, offset: pageParam } } })),
    getNextPageParam: ({ offset, items, total }) => (offset + items.length < total ? offset + items.length : undefined),
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const total = list.data?.pages[0]?.total ?? 0;
  const columns: readonly Column<Asset>[] = [
    { id: 'name', title: t('name'), width: 'minmax(0, 1fr)', cell: ({ filename }) => filename },
    { id: 'kind', title: t('kind'), width: '7rem', isWide: true, cell: ({ kind }) => kind },
    { id: 'state', title: t('state'), width: '9rem', cell: ({ state }) => state },
    { id: 'changed', title: t('changed'), width: '9rem', isWide: true, cell: ({ updatedAt }) => format.ago(updatedAt) },
  ];
  return (
    <div className="page">
      <PageHead title={t('title')}>{list.isSuccess && total > 0 ? t('count', { count: total }) : undefined}</PageHead>
      {list.isPending && <Skeletons lines={8} />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && total === 0 && <EmptyState title={t('empty')}>{t('emptyText')}</EmptyState>}
      {total > 0 && (
        <Table
          label={t('title')}
          columns={columns}
          rows={rows}
          keyOf={({ assetId }) => assetId}
          total={total}
          onEnd={more}
        />
      )}
    </div>
  );
}

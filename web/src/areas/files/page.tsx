import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useRef, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { filesOf, filesOfInput } from './dropped.ts';
import { fileMessages } from './messages.ts';
import type { Chosen } from './send.ts';
import { nextLook, StateBadge, type Asset } from './state.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { addUploads } from './uploads.ts';
import './files.css';

const pageSize = 100;

/** The files of the organization, and the place to drop new ones. */
export function FilesPage(): ReactElement {
  const t = useMessages(fileMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const [isOver, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const list = useInfiniteQuery({
    queryKey: ['assets'],
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      answered(api.GET('/api/content/v1/assets', { params: { query: { limit: pageSize, offset: pageParam } } })),
    getNextPageParam: ({ offset, items, total }) => (offset + items.length < total ? offset + items.length : undefined),
    refetchInterval: ({ state }) =>
      nextLook(state.data?.pages.flatMap(({ items }) => items) ?? [], state.dataUpdateCount),
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const total = list.data?.pages[0]?.total ?? 0;
  const add = (chosen: readonly Chosen[]): void =>
    addUploads(chosen, () => void queries.invalidateQueries({ queryKey: ['assets'] }));
  const columns: readonly Column<Asset>[] = [
    {
      id: 'name',
      title: t('name'),
      width: 'minmax(0, 1fr)',
      cell: ({ assetId, filename }) => (
        <Link to="/files/$assetId" params={{ assetId }}>
          {filename}
        </Link>
      ),
    },
    { id: 'kind', title: t('kind'), width: '7rem', isWide: true, cell: ({ kind }) => t(`kind_${kind}`) },
    { id: 'state', title: t('state'), width: '9.5rem', cell: (asset) => <StateBadge asset={asset} /> },
    { id: 'changed', title: t('changed'), width: '8rem', isWide: true, cell: ({ updatedAt }) => format.ago(updatedAt) },
  ];
  const chooser = (
    <>
      <Button look="primary" icon="upload" onClick={() => files.current?.click()}>
        {t('add')}
      </Button>
      <Button onClick={() => folder.current?.click()}>{t('addFolder')}</Button>
    </>
  );
  return (
    <div
      className="page files"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void filesOf(event.dataTransfer).then(add);
      }}
    >
      <PageHead title={t('title')} actions={total > 0 ? chooser : undefined}>
        {total > 0 ? t('count', { count: total }) : undefined}
      </PageHead>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t('add')}
        onChange={({ target }) => add(filesOfInput(target.files))}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={t('addFolder')}
        {...{ webkitdirectory: '' }}
        onChange={({ target }) => add(filesOfInput(target.files))}
      />
      <UploadPanel />
      {list.isPending && <Skeletons lines={8} />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && total === 0 && (
        <EmptyState title={t('empty')} action={<div className="actions">{chooser}</div>}>
          {t('emptyText')}
        </EmptyState>
      )}
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

import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type ReactElement } from 'react';
import { includesRole, useMe } from '../../api/me.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { JobAdvice } from './advice.tsx';
import { BulkActions } from './bulk.tsx';
import { filesOfInput, useDrop } from './dropped.ts';
import { fileMessages } from './messages.ts';
import type { Chosen } from './send.ts';
import { ListFilters } from './list-filters.tsx';
import { useAllFiles, useFilteredFiles } from './rows.ts';
import { StateBadge, type Asset } from './state.tsx';
import { TargetBucket, useTarget } from './target-bucket.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { addUploads } from './uploads.ts';
import './files.css';

const route = getRouteApi('/shell/files');

/** The files of the organization, and the place to drop new ones. */
export function FilesPage(): ReactElement {
  const t = useMessages(fileMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const filter = route.useSearch();
  const navigate = useNavigate();
  const isFiltered = Object.keys(filter).length > 0;
  const all = useAllFiles(true);
  const filtered = useFilteredFiles(filter, isFiltered);
  const list = isFiltered ? filtered : all;
  const total = all.total ?? 0;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const role = useMe()?.role ?? 'reader';
  const mayChange = includesRole(role, 'editor');
  const target = useTarget();
  const { isLacking: lacksBucket } = target;
  const add = (chosen: readonly Chosen[]): void =>
    addUploads(chosen, target.bucketId, () => {
      void queries.invalidateQueries({ queryKey: ['assets'] });
      // The first file may have made the bucket.
      if (target.taking.length === 0) void queries.invalidateQueries({ queryKey: ['buckets'] });
    });
  const dropping = useDrop(add);
  const choose = (assetId: string): void =>
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(assetId)) next.add(assetId);
      return next;
    });
  const columns: readonly Column<Asset>[] = [
    ...(mayChange
      ? [
          {
            id: 'choose',
            title: <span className="visually-hidden">{t('choose')}</span>,
            width: '2.5rem',
            cell: ({ assetId, filename }: Asset) => (
              <input
                type="checkbox"
                aria-label={t('chooseFile', { name: filename })}
                checked={chosen.has(assetId)}
                onChange={() => choose(assetId)}
              />
            ),
          },
        ]
      : []),
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
    {
      id: 'state',
      title: t('state'),
      width: 'clamp(7.5rem, 30%, 9.5rem)',
      cell: (asset) => <StateBadge asset={asset} />,
    },
    ...(filter.state === 'failed' || filter.state === 'awaiting_source_access'
      ? [
          {
            id: 'reason',
            title: t('reason'),
            width: 'minmax(0, 2fr)',
            isWide: true,
            cell: ({ latestJob: { errorCode } }: Asset) => (errorCode === null ? '' : <JobAdvice code={errorCode} />),
          },
        ]
      : []),
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
    <div className="page files" {...dropping}>
      <PageHead title={t('title')} actions={total > 0 && mayChange && !lacksBucket ? chooser : undefined}>
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
      <TargetBucket {...target} />
      <UploadPanel files={all.rows} />
      {all.isPending && <Skeletons lines={8} />}
      {list.error !== null && <FailureNotice error={list.error} onRetry={list.retry} />}
      {lacksBucket && (
        <EmptyState title={t('noBucket')} action={<Link to="/buckets">{t('toBuckets')}</Link>}>
          {t('noBucketText')}
        </EmptyState>
      )}
      {all.total === 0 && !lacksBucket && (
        <EmptyState title={t('empty')} action={mayChange ? <div className="actions">{chooser}</div> : undefined}>
          {t('emptyText')}
        </EmptyState>
      )}
      {total > 0 && (
        <ListFilters filter={filter} onChange={(search) => void navigate({ to: '/files', search, replace: true })} />
      )}
      {chosen.size > 0 && <BulkActions chosen={chosen} onClear={() => setChosen(new Set())} />}
      {total > 0 && isFiltered && !filtered.isPending && filtered.rows.length === 0 && (
        <EmptyState title={t('noneLeft')}>{t('noneLeftText')}</EmptyState>
      )}
      {total > 0 && list.rows.length > 0 && (
        <Table
          key={isFiltered ? 'filtered' : 'all'}
          label={t('title')}
          columns={columns}
          rows={list.rows}
          keyOf={({ assetId }) => assetId}
          onView={list.onView}
        />
      )}
    </div>
  );
}

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, useMe } from '../../api/me.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Badge, EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { useBucket } from '../buckets/bucket-state.tsx';
import { sendFile } from '../files/send.ts';
import { DropArea, TransferPanel } from './drop-area.tsx';
import { entriesUnder, pathTo, type Entry } from './entries.ts';
import { objectMessages } from './messages.ts';
import { addTransfers } from './transfers.ts';

const route = getRouteApi('/shell/buckets/$bucketId/');

/** The most that one request lists. */
const pageSize = 1000;
/** Pages that are loaded before somebody asks for more: a folder may hold any number of files. */
const pagesAtOnce = 20;

/** The files of a bucket by folders, which are what keys have in common up to a slash. */
export function ObjectBrowser(): ReactElement {
  const t = useMessages(objectMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const me = useMe();
  const { bucketId } = route.useParams();
  const { prefix: folder = '', begins = '' } = route.useSearch();
  const [allowedPages, setAllowedPages] = useState(pagesAtOnce);
  const bucket = useBucket(bucketId).data;
  const list = useInfiniteQuery({
    queryKey: ['objects', bucketId, folder, begins],
    initialPageParam: '',
    enabled: bucket?.state === 'active',
    queryFn: ({ pageParam }) =>
      answered(
        api.GET('/api/content/v1/buckets/{bucketId}/objects', {
          params: {
            path: { bucketId },
            query: {
              limit: pageSize,
              ...(folder + begins !== '' && { prefix: folder + begins }),
              ...(pageParam !== '' && { cursor: pageParam }),
            },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const objects = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const rows = useMemo(() => entriesUnder(objects, folder), [objects, folder]);
  const mayLoad = (data?.pages.length ?? 0) < allowedPages;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && mayLoad) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage, mayLoad]);
  const mayWrite = me !== undefined && includesRole(me.role, 'editor') && bucket?.kind === 'files';
  const last = rows.at(-1);
  const columns: readonly Column<Entry>[] = [
    {
      id: 'name',
      title: t('name'),
      width: 'minmax(0, 1fr)',
      cell: (entry) =>
        entry.kind === 'folder' ? (
          <Link to="/buckets/$bucketId" params={{ bucketId }} search={{ prefix: entry.prefix }} className="entry">
            <Icon name="collection" />
            {entry.name}
          </Link>
        ) : (
          <Link
            to="/buckets/$bucketId/objects/$objectId"
            params={{ bucketId, objectId: entry.object.id }}
            className="entry"
          >
            <Icon name="files" />
            {entry.name}
          </Link>
        ),
    },
    {
      id: 'type',
      title: t('type'),
      width: '11rem',
      isWide: true,
      cell: (entry) =>
        entry.kind === 'folder' ? (
          entry === last && hasNextPage ? (
            t('atLeast', { number: entry.count })
          ) : (
            t('inFolder', { count: entry.count })
          )
        ) : entry.object.state === 'disabled' ? (
          <Badge tone="bad">{t('disabled')}</Badge>
        ) : (
          entry.object.contentType
        ),
    },
    {
      id: 'size',
      title: t('size'),
      width: '6rem',
      cell: (entry) => (
        <span className="numeric">{format.bytes(entry.kind === 'folder' ? entry.bytes : entry.object.size)}</span>
      ),
    },
    {
      id: 'changed',
      title: t('changed'),
      width: '8rem',
      isWide: true,
      cell: (entry) => (entry.kind === 'folder' ? '' : format.ago(entry.object.updatedAt)),
    },
  ];
  return (
    <DropArea
      button={t('add')}
      onFiles={(files) => {
        if (!mayWrite) return;
        addTransfers(
          bucketId,
          files.map((chosen) => ({
            name: folder + chosen.path,
            send: (onProgress) => sendFile(bucketId, { ...chosen, path: folder + chosen.path }, onProgress),
          })),
          () => {
            void queries.invalidateQueries({ queryKey: ['objects', bucketId] });
            void queries.invalidateQueries({ queryKey: ['bucket', bucketId] });
          },
        );
      }}
    >
      {(choose) => (
        <>
          <div className="object-bar">
            <Crumbs bucketId={bucketId} folder={folder} />
            <div className="actions">
              <TextField
                label={t('begins')}
                type="search"
                value={begins}
                onChange={({ target: { value } }) =>
                  void navigate({
                    to: '/buckets/$bucketId',
                    params: { bucketId },
                    search: { ...(folder !== '' && { prefix: folder }), ...(value !== '' && { begins: value }) },
                    replace: true,
                  })
                }
              />
              {mayWrite && rows.length > 0 && choose}
            </div>
          </div>
          <TransferPanel target={bucketId} />
          <LoadedTable
            list={list}
            lines={8}
            empty={
              <EmptyState title={t('empty')} action={mayWrite ? choose : undefined}>
                {t(mayWrite ? 'emptyText' : 'emptyReader')}
              </EmptyState>
            }
            label={t('files')}
            columns={columns}
            rows={rows}
            keyOf={(entry) => (entry.kind === 'folder' ? entry.prefix : entry.object.id)}
            onEnd={more}
          />
          {hasNextPage && !mayLoad && (
            <div className="actions">
              <span className="muted">{t('furtherText', { number: objects.length })}</span>
              <Button onClick={() => setAllowedPages(allowedPages + pagesAtOnce)}>{t('further')}</Button>
            </div>
          )}
        </>
      )}
    </DropArea>
  );
}

function Crumbs({ bucketId, folder }: { bucketId: string; folder: string }): ReactElement {
  const t = useMessages(objectMessages);
  const path = pathTo(folder);
  return (
    <nav className="crumbs" aria-label={t('path')}>
      <ol>
        <li>
          <Link to="/buckets/$bucketId" params={{ bucketId }}>
            {t('root')}
          </Link>
        </li>
        {path.map(({ name, prefix }) => (
          <li key={prefix}>
            <Link to="/buckets/$bucketId" params={{ bucketId }} search={{ prefix }}>
              {name}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

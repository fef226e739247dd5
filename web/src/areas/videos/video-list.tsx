import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, useMe } from '../../api/me.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SelectField } from '../../ui/field.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { DropArea, TransferPanel } from '../objects/drop-area.tsx';
import { addTransfers } from '../objects/transfers.ts';
import { videoMessages } from './messages.ts';
import { statuses } from './routes.ts';
import { sendFilm } from './send-film.ts';
import { isUnderWay, useLibrary, VideoBadge, type Video } from './video-state.tsx';

const route = getRouteApi('/shell/libraries/$libraryId/');

/** The videos of a library, and the place to drop films. */
export function VideoList(): ReactElement {
  const t = useMessages(videoMessages);
  const format = useFormat();
  const me = useMe();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { libraryId } = route.useParams();
  const { status } = route.useSearch();
  const isActive = useLibrary(libraryId).data?.state === 'active';
  const list = useInfiniteQuery({
    queryKey: ['videos', libraryId, status ?? ''],
    initialPageParam: '',
    enabled: isActive,
    queryFn: ({ pageParam }) =>
      answered(
        api.GET('/api/content/v1/libraries/{libraryId}/videos', {
          params: {
            path: { libraryId },
            query: { ...(status !== undefined && { status }), ...(pageParam !== '' && { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isUnderWay)) === true ? 3000 : false,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const mayWrite = isActive && me !== undefined && includesRole(me.role, 'editor');
  const columns: readonly Column<Video>[] = [
    {
      id: 'title',
      title: t('videoTitle'),
      width: 'minmax(0, 1fr)',
      cell: ({ id, title }) => (
        <Link to="/videos/$videoId" params={{ videoId: id }}>
          {title}
        </Link>
      ),
    },
    { id: 'status', title: t('status'), width: '10.5rem', cell: (video) => <VideoBadge video={video} /> },
    {
      id: 'length',
      title: t('length'),
      width: '6rem',
      isWide: true,
      cell: ({ durationSeconds }) => (durationSeconds === null ? '' : format.clock(durationSeconds)),
    },
    {
      id: 'size',
      title: t('size'),
      width: '6rem',
      isWide: true,
      cell: ({ storedBytes }) => <span className="numeric">{format.bytes(storedBytes)}</span>,
    },
    { id: 'added', title: t('added'), width: '8rem', isWide: true, cell: ({ createdAt }) => format.ago(createdAt) },
  ];
  return (
    <DropArea
      button={t('add')}
      accept="video/*"
      onFiles={(films) => {
        if (!mayWrite) return;
        addTransfers(
          libraryId,
          films.map(({ file, path }) => ({
            name: path,
            send: (onProgress) => sendFilm(libraryId, file, onProgress),
          })),
          () => void queries.invalidateQueries({ queryKey: ['videos', libraryId] }),
        );
      }}
    >
      {(choose) => (
        <>
          <div className="object-bar">
            <SelectField
              label={t('status')}
              value={status ?? ''}
              options={[['', t('everyStatus')], ...statuses.map((name) => [name, t(name)] as const)]}
              onChange={({ target }) =>
                void navigate({
                  to: '/libraries/$libraryId',
                  params: { libraryId },
                  search: { status: statuses.find((name) => name === target.value) },
                  replace: true,
                })
              }
            />
            {mayWrite && rows.length > 0 && choose}
          </div>
          <TransferPanel target={libraryId} />
          <LoadedTable
            list={list}
            empty={
              <EmptyState title={t('empty')} action={mayWrite ? choose : undefined}>
                {t(mayWrite ? 'emptyText' : 'emptyReader')}
              </EmptyState>
            }
            label={t('tabVideos')}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            onEnd={more}
          />
        </>
      )}
    </DropArea>
  );
}

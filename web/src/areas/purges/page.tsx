import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Badge, EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { purgeMessages } from './messages.ts';
import { PurgeDialog } from './purge-dialog.tsx';

type Purge = components['schemas']['Purge'];

const route = getRouteApi('/shell/buckets/$bucketId');
const tones = { queued: 'warn', running: 'warn', succeeded: 'good', failed: 'bad' } as const;

/** The purges of a bucket, newest first. */
export function PurgesPage(): ReactElement {
  const t = useMessages(purgeMessages);
  const format = useFormat();
  const { bucketId } = route.useParams();
  const [isAsking, setAsking] = useState(false);
  const list = useInfiniteQuery({
    queryKey: ['purges', bucketId],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answered(
        api.GET('/api/content/v1/purges', {
          params: { query: { bucketId, ...(pageParam !== '' && { cursor: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ completedAt }) => completedAt === null)) === true
        ? 2000
        : false,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const start = (
    <Allowed role="editor" isQuiet>
      <Button look="primary" icon="refresh" onClick={() => setAsking(true)}>
        {t('start')}
      </Button>
    </Allowed>
  );
  const columns: readonly Column<Purge>[] = [
    {
      id: 'targets',
      title: t('targets'),
      width: 'minmax(0, 1fr)',
      cell: ({ scope, targets }) => (scope === 'all' ? t('all') : targets.join(', ')),
    },
    {
      id: 'state',
      title: t('state'),
      width: '9rem',
      cell: ({ state, failureReason }) => (
        <Badge tone={tones[state]}>{failureReason === null ? t(state) : t(failureReason)}</Badge>
      ),
    },
    { id: 'at', title: t('at'), width: '8rem', isWide: true, cell: ({ createdAt }) => format.ago(createdAt) },
    { id: 'by', title: t('by'), width: '12rem', isWide: true, cell: ({ requestedBy }) => <code>{requestedBy}</code> },
  ];
  return (
    <section className="stack">
      <div className="page-head">
        <p>{t('lead')}</p>
        {rows.length > 0 && start}
      </div>
      <LoadedTable
        list={list}
        empty={
          <EmptyState title={t('none')} action={start}>
            {t('noneText')}
          </EmptyState>
        }
        label={t('title')}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onEnd={more}
      />
      {isAsking && <PurgeDialog bucketId={bucketId} onClose={() => setAsking(false)} />}
    </section>
  );
}

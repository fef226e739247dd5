import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { TextField } from '../../ui/field.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { auditMessages } from './messages.ts';
import { AuditRows } from './rows.tsx';

/** The audit of the organization's storage, filtered by the program. */
export function StorageAudit(): ReactElement {
  const t = useMessages(auditMessages);
  const [filter, setFilter] = useState({ action: '', resourceId: '', from: '', to: '' });
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value.trim() !== ''));
  const list = useInfiniteQuery({
    queryKey: ['audit', given],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor }) =>
      answered(
        api.GET('/api/content/v1/audit', {
          params: { query: { limit: 100, ...given, ...(cursor === '' ? {} : { cursor }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const field = (name: keyof typeof filter, type: 'text' | 'date'): ReactElement => (
    <TextField
      label={t(name)}
      type={type}
      value={filter[name]}
      onChange={({ target }) => setFilter({ ...filter, [name]: target.value })}
    />
  );
  return (
    <section className="stack">
      <div className="actions">
        {field('action', 'text')}
        {field('resourceId', 'text')}
        {field('from', 'date')}
        {field('to', 'date')}
      </div>
      {list.isPending && <Skeletons lines={8} />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && (
        <AuditRows
          rows={list.data.pages
            .flatMap(({ items }) => items)
            .map(({ at, actor, action, resourceKind, resourceId, detail }, index) => ({
              id: `${at} ${index}`,
              at,
              actor: actor === 'plycdn' ? t('service') : actor,
              action,
              resource: `${resourceKind} ${resourceId}`,
              detail: Object(detail) as { [name: string]: unknown },
            }))}
          onEnd={more}
        />
      )}
    </section>
  );
}

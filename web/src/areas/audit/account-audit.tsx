import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SelectField } from '../../ui/field.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { inOwnOrganization } from '../organizations/in-own.ts';
import { auditMessages } from './messages.ts';
import { AuditRows } from './rows.tsx';

/** The audit of the account; the choice of an action filters what is loaded. */
export function AccountAudit(): ReactElement {
  const t = useMessages(auditMessages);
  const [action, setAction] = useState('');
  const list = useInfiniteQuery({
    queryKey: ['account-audit'],
    initialPageParam: '',
    queryFn: ({ pageParam: before }) =>
      answered(
        api.GET('/api/account-audit', {
          ...inOwnOrganization(),
          params: { query: { limit: 100, ...(before === '' ? {} : { before }) } },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const loaded = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const actions = [...new Set(loaded.map((row) => row.action))].sort();
  return (
    <section className="stack">
      <SelectField
        label={t('action')}
        value={action}
        options={[['', t('anyAction')], ...actions.map((name): [string, string] => [name, name])]}
        onChange={({ target }) => setAction(target.value)}
      />
      {list.isPending && <Skeletons lines={8} />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && (
        <AuditRows
          rows={loaded
            .filter((row) => action === '' || row.action === action)
            .map(({ id, at, actor, action: done, resourceKind, resourceId, detail }) => ({
              id,
              at,
              actor: actor.label ?? t('service'),
              action: done,
              resource: `${resourceKind} ${resourceId}`,
              detail: Object(detail) as { [name: string]: unknown },
            }))}
          onEnd={more}
        />
      )}
    </section>
  );
}

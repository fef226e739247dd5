import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Badge, EmptyState, FailureNotice, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { webhookMessages } from './messages.ts';

type Delivery = components['schemas']['WebhookDelivery'];

const tones = { pending: 'plain', delivered: 'good', failed: 'bad' } as const;
const states = ['pending', 'delivered', 'failed'] as const;

/** What was sent to an endpoint, newest first. While something waits, it is asked again. */
export function Deliveries({ webhookId }: { webhookId: string }): ReactElement {
  const t = useMessages(webhookMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const [state, setState] = useState<Delivery['state'] | ''>('');
  const [shown, setShown] = useState<Delivery | null>(null);
  const list = useInfiniteQuery({
    queryKey: ['webhooks', webhookId, 'deliveries', state],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor }) =>
      answered(
        api.GET('/api/content/v1/webhooks/{webhookId}/deliveries', {
          params: {
            path: { webhookId },
            query: { limit: 100, ...(state === '' ? {} : { state }), ...(cursor === '' ? {} : { cursor }) },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some((row) => row.state === 'pending')) === true ? 2000 : false,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const again = useMutation({
    mutationFn: (deliveryId: string) =>
      answered(
        api.POST('/api/content/v1/webhook-deliveries/{deliveryId}/redeliver', { params: { path: { deliveryId } } }),
      ),
    onSuccess: async () => {
      toast(t('redelivered'));
      await queries.invalidateQueries({ queryKey: ['webhooks', webhookId] });
    },
  });
  const columns: readonly Column<Delivery>[] = [
    {
      id: 'event',
      title: t('event'),
      width: 'minmax(0, 1fr)',
      cell: (delivery) => (
        <button
          type="button"
          className="link"
          aria-label={t('details', { event: delivery.event })}
          onClick={() => setShown(delivery)}
        >
          {delivery.event}
        </button>
      ),
    },
    {
      id: 'state',
      title: t('state'),
      width: '7.5rem',
      cell: ({ state: now }) => <Badge tone={tones[now]}>{t(now)}</Badge>,
    },
    {
      id: 'answer',
      title: t('answer'),
      width: 'minmax(0, 1fr)',
      isWide: true,
      cell: ({ lastStatus, lastError, nextAttemptAt }) =>
        [
          lastStatus ?? (lastError === null ? '' : t(lastError)),
          nextAttemptAt === null ? '' : t('next', { time: format.exactTime(nextAttemptAt) }),
        ]
          .filter((text) => text !== '')
          .join(' · '),
    },
    { id: 'attempts', title: t('attempts'), width: '5.5rem', isWide: true, cell: ({ attempts }) => attempts },
    { id: 'at', title: t('sent'), width: '13rem', isWide: true, cell: ({ createdAt }) => format.exactTime(createdAt) },
    {
      id: 'again',
      title: <span className="visually-hidden">{t('redeliver')}</span>,
      width: '4rem',
      cell: ({ id }) => <Button look="quiet" icon="refresh" label={t('redeliver')} onClick={() => again.mutate(id)} />,
    },
  ];
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className="stack">
      <div className="page-head">
        <h2>{t('deliveries')}</h2>
        <SelectField
          label={t('filter')}
          value={state}
          options={[['', t('all')], ...states.map((name): [string, string] => [name, t(name)])]}
          onChange={({ target }) => setState(states.find((name) => name === target.value) ?? '')}
        />
      </div>
      {list.isPending && <Skeletons />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {again.isError && <FailureNotice error={again.error} />}
      {list.isSuccess && rows.length === 0 && (
        <EmptyState title={t('noDeliveries')}>{t('noDeliveriesText')}</EmptyState>
      )}
      {rows.length > 0 && (
        <Table label={t('deliveries')} columns={columns} rows={rows} keyOf={({ id }) => id} onEnd={more} />
      )}
      {shown !== null && <DeliveryDialog delivery={shown} onClose={() => setShown(null)} />}
    </section>
  );
}

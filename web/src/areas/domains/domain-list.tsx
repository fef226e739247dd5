import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Badge, EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { domainMessages } from './messages.ts';

/** A custom domain. */
export type Domain = components['schemas']['Domain'];

const tones = {
  pending_dns: 'warn',
  verifying: 'warn',
  issuing_certificate: 'warn',
  active: 'good',
  failed: 'bad',
  detached: 'bad',
} as const;

/** The state of a domain as a word. */
export function DomainBadge({ state }: Pick<Domain, 'state'>): ReactElement {
  const t = useMessages(domainMessages);
  return <Badge tone={tones[state]}>{t(state)}</Badge>;
}

/** The domains of a bucket, or of all of them; with what adds one. */
export function DomainList({ bucketId }: { bucketId?: string }): ReactElement {
  const t = useMessages(domainMessages);
  const [isAdding, setAdding] = useState(false);
  const buckets = useQuery({ queryKey: ['buckets'], queryFn: () => answered(api.GET('/api/content/v1/buckets')) });
  const list = useInfiniteQuery({
    queryKey: ['domains', 'list', bucketId ?? ''],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answered(
        api.GET('/api/content/v1/domains', {
          params: {
            query: { ...(bucketId !== undefined && { bucketId }), ...(pageParam !== '' && { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const open = (buckets.data?.items ?? []).filter(({ state }) => state === 'active');
  const add = open.length > 0 && (
    <Allowed role="admin" isQuiet>
      <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
        {t('add')}
      </Button>
    </Allowed>
  );
  const columns: readonly Column<Domain>[] = [
    {
      id: 'hostname',
      title: t('hostname'),
      width: 'minmax(0, 1fr)',
      cell: ({ id, unicodeHostname }) => (
        <Link to="/domains/$domainId" params={{ domainId: id }}>
          {unicodeHostname}
        </Link>
      ),
    },
    { id: 'state', title: t('state'), width: '10rem', cell: ({ state }) => <DomainBadge state={state} /> },
    {
      id: 'bucket',
      title: t('bucket'),
      width: '12rem',
      isWide: true,
      cell: (domain) => buckets.data?.items.find(({ id }) => id === domain.bucketId)?.name ?? '',
    },
  ];
  return (
    <section className="stack">
      <div className="page-head">
        <p>{t('lead')}</p>
        {rows.length > 0 && add}
      </div>
      <LoadedTable
        list={list}
        empty={
          <EmptyState title={t('none')} action={add}>
            {t('noneText')}
          </EmptyState>
        }
        label={t('title')}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onEnd={more}
      />
      {isAdding && (
        <AddDialog
          buckets={bucketId === undefined ? open : open.filter(({ id }) => id === bucketId)}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}

function AddDialog({
  buckets,
  onClose,
}: {
  buckets: readonly { id: string; name: string }[];
  onClose: () => void;
}): ReactElement {
  const t = useMessages(domainMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [hostname, setHostname] = useState('');
  const [chosen, setChosen] = useState('');
  const add = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/domains', {
          params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
          body: { bucketId: chosen === '' ? (buckets[0]?.id ?? '') : chosen, hostname },
        }),
      ),
    onSuccess: async ({ id, unicodeHostname }) => {
      toast(t('added', { name: unicodeHostname }));
      await queries.invalidateQueries({ queryKey: ['domains'] });
      await navigate({ to: '/domains/$domainId', params: { domainId: id } });
    },
  });
  return (
    <Dialog title={t('add')} onClose={onClose}>
      <DialogForm
        submit={t('add')}
        isBusy={add.isPending}
        error={add.error}
        onSubmit={() => add.mutate()}
        onClose={onClose}
      >
        <TextField
          label={t('hostname')}
          hint={t('hostnameHint')}
          required
          autoFocus
          autoComplete="off"
          spellCheck={false}
          value={hostname}
          onChange={({ target }) => setHostname(target.value)}
        />
        {buckets.length > 1 && (
          <SelectField
            label={t('bucket')}
            value={chosen}
            options={buckets.map(({ id, name }) => [id, name])}
            onChange={({ target }) => setChosen(target.value)}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}

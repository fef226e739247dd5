import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { EmptyState, PageHead } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { BucketBadge, nextLookAt, type Bucket } from './bucket-state.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { bucketMessages } from './messages.ts';

/** The buckets of the organization; libraries have a page of their own. */
export function BucketsPage(): ReactElement {
  const t = useMessages(bucketMessages);
  const format = useFormat();
  const [isCreating, setCreating] = useState(false);
  const list = useQuery({
    queryKey: ['buckets'],
    queryFn: () => answered(api.GET('/api/content/v1/buckets')),
    refetchInterval: ({ state }) => nextLookAt(state.data?.items ?? []),
  });
  const rows = (list.data?.items ?? []).filter(({ kind }) => kind === 'files');
  const create = (
    <Allowed role="admin" isQuiet>
      <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
        {t('create')}
      </Button>
    </Allowed>
  );
  const columns: readonly Column<Bucket>[] = [
    {
      id: 'name',
      title: t('name'),
      width: 'minmax(0, 1fr)',
      cell: ({ id, name }) => (
        <Link to="/buckets/$bucketId" params={{ bucketId: id }}>
          {name}
        </Link>
      ),
    },
    { id: 'region', title: t('region'), width: '7rem', isWide: true, cell: ({ region }) => region },
    {
      id: 'visibility',
      title: t('visibility'),
      width: '7rem',
      isWide: true,
      cell: ({ visibility }) => t(`${visibility}_short`),
    },
    { id: 'state', title: t('state'), width: '8rem', cell: (bucket) => <BucketBadge bucket={bucket} /> },
    {
      id: 'objects',
      title: t('objects'),
      width: '6rem',
      isWide: true,
      cell: ({ objectCount }) => <span className="numeric">{format.number(objectCount)}</span>,
    },
    {
      id: 'size',
      title: t('size'),
      width: '6rem',
      isWide: true,
      cell: ({ storedBytes }) => <span className="numeric">{format.bytes(storedBytes)}</span>,
    },
  ];
  return (
    <div className="page">
      <PageHead title={t('title')} actions={rows.length > 0 ? create : undefined}>
        {t('lead')}
      </PageHead>
      <LoadedTable
        list={list}
        empty={
          <EmptyState title={t('empty')} action={create}>
            {t('emptyText')}
          </EmptyState>
        }
        label={t('title')}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </div>
  );
}

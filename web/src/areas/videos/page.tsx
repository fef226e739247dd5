import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { EmptyState, PageHead } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { BucketBadge, nextLookAt } from '../buckets/bucket-state.tsx';
import { emptyPlace, PlaceFields } from '../buckets/place-fields.tsx';
import { videoMessages } from './messages.ts';
import type { Library } from './video-state.tsx';

/** The video libraries of the organization. */
export function LibrariesPage(): ReactElement {
  const t = useMessages(videoMessages);
  const format = useFormat();
  const [isCreating, setCreating] = useState(false);
  const list = useQuery({
    queryKey: ['libraries'],
    queryFn: () => answered(api.GET('/api/content/v1/libraries')),
    refetchInterval: ({ state }) => nextLookAt(state.data?.items ?? []),
  });
  const rows = list.data?.items ?? [];
  const create = (
    <Allowed role="admin" isQuiet>
      <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
        {t('create')}
      </Button>
    </Allowed>
  );
  const columns: readonly Column<Library>[] = [
    {
      id: 'name',
      title: t('name'),
      width: 'minmax(0, 1fr)',
      cell: ({ id, name }) => (
        <Link to="/libraries/$libraryId" params={{ libraryId: id }}>
          {name}
        </Link>
      ),
    },
    { id: 'region', title: t('region'), width: '7rem', isWide: true, cell: ({ region }) => region },
    { id: 'state', title: t('state'), width: '8rem', cell: (library) => <BucketBadge bucket={library} /> },
    {
      id: 'count',
      title: t('count'),
      width: '6rem',
      isWide: true,
      cell: ({ videoCount }) => <span className="numeric">{format.number(videoCount)}</span>,
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
          <EmptyState title={t('none')} action={create}>
            {t('noneText')}
          </EmptyState>
        }
        label={t('title')}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
      />
      {isCreating && <CreateLibrary onClose={() => setCreating(false)} />}
    </div>
  );
}

function CreateLibrary({ onClose }: { onClose: () => void }): ReactElement {
  const t = useMessages(videoMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [place, setPlace] = useState(emptyPlace);
  const create = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/libraries', {
          params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
          body: place,
        }),
      ),
    onSuccess: async ({ id, name }) => {
      toast(t('created', { name }));
      await queries.invalidateQueries({ queryKey: ['libraries'] });
      await navigate({ to: '/libraries/$libraryId', params: { libraryId: id } });
    },
  });
  return (
    <Dialog title={t('create')} onClose={onClose}>
      <DialogForm
        submit={t('create')}
        isBusy={create.isPending}
        error={create.error}
        onSubmit={() => create.mutate()}
        onClose={onClose}
      >
        <PlaceFields place={place} onChange={setPlace} />
      </DialogForm>
    </Dialog>
  );
}

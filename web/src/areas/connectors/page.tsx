import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { EmptyState, PageHead } from '../../ui/states.tsx';
import { ConnectorDialog } from './connector-dialog.tsx';
import { connectorMessages } from './messages.ts';
import { ConnectorState } from './state.tsx';

/** The connectors of the organization with their last syncs. */
export function ConnectorsPage(): ReactElement {
  const t = useMessages(connectorMessages);
  const format = useFormat();
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const list = useQuery({
    queryKey: ['connectors'],
    queryFn: () => answered(api.GET('/api/content/v1/connectors')),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ syncPending }) => syncPending) === true ? 2000 : false,
  });
  const items = list.data?.items ?? [];
  const create = (
    <Allowed role="editor" isQuiet>
      <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
        {t('create')}
      </Button>
    </Allowed>
  );
  return (
    <div className="page">
      <PageHead title={t('title')} actions={items.length > 0 ? create : undefined}>
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
        rows={items}
        keyOf={({ connectorId }) => connectorId}
        columns={[
          {
            id: 'name',
            title: t('name'),
            width: 'minmax(0, 1fr)',
            cell: ({ connectorId, name }) => (
              <Link to="/connectors/$connectorId" params={{ connectorId }}>
                {name}
              </Link>
            ),
          },
          { id: 'kind', title: t('kind'), width: '7rem', isWide: true, cell: ({ kind }) => t(kind) },
          {
            id: 'last',
            title: t('last'),
            width: '11rem',
            isWide: true,
            cell: ({ lastRunAt }) => (lastRunAt === null ? t('never') : format.time(lastRunAt)),
          },
          {
            id: 'state',
            title: t('state'),
            width: 'minmax(7rem, 0.5fr)',
            cell: (connector) => <ConnectorState connector={connector} />,
          },
        ]}
      />
      {isCreating && (
        <ConnectorDialog
          onDone={({ connectorId }) => void navigate({ to: '/connectors/$connectorId', params: { connectorId } })}
          onClose={() => setCreating(false)}
        />
      )}
    </div>
  );
}

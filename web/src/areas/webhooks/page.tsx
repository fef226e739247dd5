import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Badge, EmptyState, PageHead } from '../../ui/states.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { webhookMessages } from './messages.ts';

/** The endpoints that are told what happens to videos. */
export function WebhooksPage(): ReactElement {
  const t = useMessages(webhookMessages);
  const [isCreating, setCreating] = useState(false);
  const list = useQuery({
    queryKey: ['webhooks'],
    queryFn: () => answered(api.GET('/api/content/v1/webhooks')),
  });
  const create = (
    <Allowed role="admin" isQuiet>
      <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
        {t('create')}
      </Button>
    </Allowed>
  );
  const items = list.data?.items ?? [];
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
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'url',
            title: t('url'),
            width: 'minmax(0, 2fr)',
            cell: ({ id, url }) => (
              <Link to="/webhooks/$webhookId" params={{ webhookId: id }} title={url}>
                {url}
              </Link>
            ),
          },
          {
            id: 'events',
            title: t('events'),
            width: 'minmax(0, 2fr)',
            isWide: true,
            cell: ({ events }) => events.join(', '),
          },
          {
            id: 'state',
            title: t('state'),
            width: '7rem',
            cell: ({ active }) => <Badge tone={active ? 'good' : 'warn'}>{active ? t('active') : t('inactive')}</Badge>,
          },
        ]}
      />
      {isCreating && <EndpointDialog onClose={() => setCreating(false)} />}
    </div>
  );
}

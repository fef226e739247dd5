import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { connectorMessages } from './messages.ts';
import { ConnectorState, type Connector } from './state.tsx';

/** A connector: its settings, its last sync and the files that failed. */
export function ConnectorPage(): ReactElement {
  const t = useMessages(connectorMessages);
  const { connectorId } = useParams({ from: '/shell/connectors/$connectorId' });
  const one = useQuery({
    queryKey: ['connectors', connectorId],
    queryFn: () => answered(api.GET('/api/content/v1/connectors/{connectorId}', { params: { path: { connectorId } } })),
    refetchInterval: ({ state: { data } }) => (data?.syncPending === true ? 2000 : false),
  });
  return (
    <div className="page">
      <p>
        <Link to="/connectors">{t('back')}</Link>
      </p>
      {one.isPending && <Skeletons />}
      {one.isError && <FailureNotice error={one.error} onRetry={() => void one.refetch()} />}
      {one.isSuccess && <Details connector={one.data} />}
    </div>
  );
}

const counts = ['new', 'changed', 'moved', 'removed', 'unchanged', 'reauthorized'] as const;

function Details({ connector }: { connector: Connector }): ReactElement {
  const t = useMessages(connectorMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const { connectorId, name, kind, config, enabled, schedule, defaultAclMode, lastRunAt, lastError, lastSummary } =
    connector;
  const sync = useMutation({
    mutationFn: () =>
      answered(api.POST('/api/content/v1/connectors/{connectorId}/sync', { params: { path: { connectorId } } })),
    onSuccess: async () => {
      toast(t('asked'));
      await queries.invalidateQueries({ queryKey: ['connectors'] });
    },
  });
  return (
    <>
      <PageHead
        title={name}
        actions={
          <Allowed role="editor" isQuiet>
            <Button
              look="primary"
              icon="refresh"
              disabled={!enabled}
              isBusy={sync.isPending}
              onClick={() => sync.mutate()}
            >
              {t('sync')}
            </Button>
          </Allowed>
        }
      >
        {t(kind)}
      </PageHead>
      <p>
        <ConnectorState connector={connector} />
      </p>
      {sync.isError && <FailureNotice error={sync.error} />}
      {lastError !== null && <p className="notice notice-bad">{lastError}</p>}
      <section className="card stack">
        <h2>{t('lastSync')}</h2>
        <dl className="facts">
          <dt>{t('last')}</dt>
          <dd>{lastRunAt === null ? t('never') : format.time(lastRunAt)}</dd>
          {lastSummary !== null &&
            counts.map((each) => [
              <dt key={`${each}-name`}>{t(each)}</dt>,
              <dd key={each} className="numeric">
                {format.number(lastSummary[each])}
              </dd>,
            ])}
        </dl>
      </section>
      <section className="stack">
        <h2>{t('failures')}</h2>
        {connector.failures.length === 0 ? (
          <p className="muted">{t('noFailures')}</p>
        ) : (
          <Table
            label={t('failures')}
            rows={connector.failures}
            keyOf={({ externalId }) => externalId}
            columns={[
              { id: 'file', title: t('file'), width: 'minmax(0, 1fr)', cell: ({ externalId }) => externalId },
              { id: 'reason', title: t('reason'), width: 'minmax(0, 1fr)', cell: ({ errorCode }) => errorCode },
              {
                id: 'seen',
                title: t('seen'),
                width: '11rem',
                isWide: true,
                cell: ({ seenAt }) => format.time(seenAt),
              },
            ]}
          />
        )}
      </section>
      <section className="card stack">
        <h2>{t('settings')}</h2>
        <dl className="facts">
          <dt>{t('schedule')}</dt>
          <dd>{t(schedule)}</dd>
          <dt>{t('access')}</dt>
          <dd>{t(defaultAclMode)}</dd>
          {Object.entries(config).map(([field, value]) => [
            <dt key={`${field}-name`}>{field}</dt>,
            <dd key={field}>{value}</dd>,
          ])}
        </dl>
      </section>
    </>
  );
}

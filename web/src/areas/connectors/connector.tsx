import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { CopyField } from '../../ui/copy.tsx';
import { FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { JobAdvice } from '../files/advice.tsx';
import { ConnectorActions } from './actions.tsx';
import { configFields } from './input.ts';
import { connectorMessages } from './messages.ts';
import { ConnectorState, useUnreadFiles, type Connector } from './state.tsx';

/** Milliseconds between two looks where no sync is under way: files that it brought may still fail. */
const restMs = 10_000;

/** A connector: its settings, its last sync and the files that failed. */
export function ConnectorPage(): ReactElement {
  const t = useMessages(connectorMessages);
  const { connectorId } = useParams({ from: '/shell/connectors/$connectorId' });
  const one = useQuery({
    queryKey: ['connectors', connectorId],
    queryFn: () => answered(api.GET('/api/content/v1/connectors/{connectorId}', { params: { path: { connectorId } } })),
    refetchInterval: ({ state: { data } }) => (data?.syncPending === true ? 2000 : restMs),
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
  const unread = useUnreadFiles(connector.connectorId, restMs).data?.items ?? [];
  const { connectorId, name, kind, config, schedule, defaultAclMode, lastRunAt, lastError, lastSummary, notifyUrl } =
    connector;
  return (
    <>
      <PageHead
        title={name}
        actions={
          <Allowed role="editor" isQuiet>
            <ConnectorActions connector={connector} />
          </Allowed>
        }
      >
        {t(kind)}
      </PageHead>
      <p>
        <ConnectorState connector={connector} />
      </p>
      {lastError !== null && (
        <div className="notice notice-bad">
          <p>{t('errorTitle')}</p>
          <p lang="en">{lastError}</p>
          <p className="notice-detail">{t('errorText')}</p>
        </div>
      )}
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
        <Link to="/files" search={{ connectorId }}>
          {t('files')}
        </Link>
      </section>
      {/* A sync that failed as a whole says nothing of its files. */}
      {(connector.failures.length + unread.length > 0 || connector.lastError === null) && (
        <section className="stack">
          <h2>{t('failures')}</h2>
          {connector.failures.length + unread.length === 0 ? (
            <p className="muted">{t('noFailures')}</p>
          ) : (
            <ul className="stack">
              {unread.map(({ assetId, filename, latestJob: { errorCode, updatedAt } }) => (
                <li key={assetId} className="notice notice-bad">
                  <p>
                    <Link to="/files/$assetId" params={{ assetId }}>
                      {filename}
                    </Link>
                  </p>
                  <p>{errorCode !== null && <JobAdvice code={errorCode} />}</p>
                  <p className="notice-detail">
                    <code>{errorCode}</code> · {format.time(updatedAt)}
                  </p>
                </li>
              ))}
              {connector.failures.map(({ externalId, errorCode, seenAt }) => (
                <li key={externalId} className="notice notice-bad">
                  <p>{externalId}</p>
                  <p>
                    <JobAdvice code={errorCode} />
                  </p>
                  <p className="notice-detail">
                    <code>{errorCode}</code> · {format.time(seenAt)}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      <section className="card stack">
        <h2>{t('settings')}</h2>
        <dl className="facts">
          <dt>{t('schedule')}</dt>
          <dd>{t(schedule)}</dd>
          <dt>{t('access')}</dt>
          <dd>{t(defaultAclMode)}</dd>
          {configFields[kind].map((field) => [
            <dt key={`${field}-name`}>{t(field)}</dt>,
            <dd key={field}>{config[field] || '–'}</dd>,
          ])}
        </dl>
        {notifyUrl !== null && (
          <Allowed role="editor" isQuiet>
            <CopyField label={t('notifyUrl')} hint={t('notifyHint')} value={notifyUrl} />
          </Allowed>
        )}
      </section>
    </>
  );
}

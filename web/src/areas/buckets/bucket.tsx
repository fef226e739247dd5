import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { BucketActions, RestoreButton, RetryButton } from './bucket-actions.tsx';
import { BucketBadge, reasonMessage, useBucket, type Bucket } from './bucket-state.tsx';
import { bucketMessages } from './messages.ts';
import './buckets.css';

const route = getRouteApi('/shell/buckets/$bucketId');

/** The frame of a bucket's pages: its name and state, what can be done about the state, and the tabs. */
export function BucketFrame(): ReactElement {
  const t = useMessages(bucketMessages);
  const { bucketId } = route.useParams();
  const bucket = useBucket(bucketId);
  if (bucket.isPending) return <Skeletons lines={8} />;
  if (bucket.isError) return <FailureNotice error={bucket.error} onRetry={() => void bucket.refetch()} />;
  const { name, visibility, region, state } = bucket.data;
  return (
    <div className="page">
      <Link to="/buckets">{t('back')}</Link>
      <PageHead title={name} actions={<BucketActions bucket={bucket.data} />} />
      <p className="actions">
        <BucketBadge bucket={bucket.data} />
        <Badge>{t(`${visibility}_short`)}</Badge>
        <Badge>{region}</Badge>
      </p>
      <StateNotice bucket={bucket.data} />
      {(state === 'active' || state === 'creating') && (
        <>
          <Tabs bucketId={bucketId} />
          <Outlet />
        </>
      )}
    </div>
  );
}

function Tabs({ bucketId }: { bucketId: string }): ReactElement {
  const t = useMessages(bucketMessages);
  const active = { 'aria-current': 'page' } as const;
  return (
    <nav className="tabs" aria-label={t('tabs')}>
      <Link
        to="/buckets/$bucketId"
        params={{ bucketId }}
        activeOptions={{ exact: true, includeSearch: false }}
        activeProps={active}
      >
        {t('tabObjects')}
      </Link>
      <Link to="/buckets/$bucketId/links" params={{ bucketId }} activeProps={active}>
        {t('tabLinks')}
      </Link>
      <Link to="/buckets/$bucketId/settings" params={{ bucketId }} activeProps={active}>
        {t('tabSettings')}
      </Link>
    </nav>
  );
}

/** What is to be known about a bucket that is not simply active. */
function StateNotice({ bucket }: { bucket: Bucket }): ReactElement | null {
  const t = useMessages(bucketMessages);
  const format = useFormat();
  const { state, suspended, failureReason, purgeAfter } = bucket;
  if (state === 'failed')
    return (
      <div className="notice notice-bad">
        <p>{t(reasonMessage(failureReason))}</p>
        <p className="notice-detail">{t('failedText')}</p>
        <RetryButton bucket={bucket} />
      </div>
    );
  if (state === 'deleted' || state === 'deleting') {
    const isOpen = purgeAfter !== null && Date.parse(purgeAfter) > Date.now();
    return (
      <div className="notice notice-bad">
        <p>{isOpen ? t('restoreUntil', { time: format.time(purgeAfter) }) : t('restoreOver')}</p>
        {isOpen && state === 'deleted' && <RestoreButton bucket={bucket} />}
      </div>
    );
  }
  if (suspended) return <p className="notice notice-bad">{t('suspendedText')}</p>;
  if (failureReason === 'configuration_failed') return <p className="notice">{t('configuration_failed')}</p>;
  return null;
}

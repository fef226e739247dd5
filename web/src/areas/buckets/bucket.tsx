import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { BucketActions } from './bucket-actions.tsx';
import { BucketBadge, useBucket } from './bucket-state.tsx';
import { bucketMessages } from './messages.ts';
import { StateNotice } from './state-notice.tsx';
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
      <Link to="/buckets/$bucketId/domains" params={{ bucketId }} activeProps={active}>
        {t('tabDomains')}
      </Link>
      <Link to="/buckets/$bucketId/purges" params={{ bucketId }} activeProps={active}>
        {t('tabPurges')}
      </Link>
      <Link to="/buckets/$bucketId/traffic" params={{ bucketId }} activeProps={active}>
        {t('tabTraffic')}
      </Link>
      <Link to="/buckets/$bucketId/settings" params={{ bucketId }} activeProps={active}>
        {t('tabSettings')}
      </Link>
    </nav>
  );
}

import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { PageHead } from '../../ui/states.tsx';
import { useBucket } from '../buckets/bucket-state.tsx';
import { periodOf } from './asked-period.ts';
import { CountingCard } from './counting.tsx';
import { Delivered } from './delivered.tsx';
import { trafficMessages } from './messages.ts';
import { PeriodFields } from './period-fields.tsx';
import { Traffic } from './traffic.tsx';
import './traffic.css';

const route = getRouteApi('/shell/delivery');
const bucketRoute = getRouteApi('/shell/buckets/$bucketId/traffic');

/** What was delivered from all buckets. */
export function DeliveryPage(): ReactElement {
  const t = useMessages(trafficMessages);
  const navigate = useNavigate();
  const period = periodOf(route.useSearch());
  return (
    <div className="page">
      <PageHead
        title={t('title')}
        actions={
          <PeriodFields
            period={period}
            onChange={(search) => void navigate({ to: '/delivery', search, replace: true })}
          />
        }
      >
        {t('lead')}
      </PageHead>
      <Delivered period={period} />
      <Allowed role="admin" isQuiet>
        <Traffic period={period} dimensions={[]} />
      </Allowed>
    </div>
  );
}

/** What was delivered from one bucket, and its counted traffic. */
export function BucketTraffic(): ReactElement | null {
  const navigate = useNavigate();
  const { bucketId } = bucketRoute.useParams();
  const period = periodOf(bucketRoute.useSearch());
  const bucket = useBucket(bucketId).data;
  if (bucket === undefined) return null;
  const dimensions = bucket.analytics.dimensions.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  return (
    <>
      <div className="actions">
        <PeriodFields
          period={period}
          onChange={(search) =>
            void navigate({ to: '/buckets/$bucketId/traffic', params: { bucketId }, search, replace: true })
          }
        />
      </div>
      <Delivered period={period} bucketId={bucketId} />
      <Allowed role="admin" isQuiet>
        {bucket.analytics.enabled && <Traffic period={period} bucketId={bucketId} dimensions={dimensions} />}
        <CountingCard bucket={bucket} />
      </Allowed>
    </>
  );
}

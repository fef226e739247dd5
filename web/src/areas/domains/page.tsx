import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { PageHead } from '../../ui/states.tsx';
import { DomainList } from './domain-list.tsx';
import { domainMessages } from './messages.ts';

const bucketRoute = getRouteApi('/shell/buckets/$bucketId');

/** All custom domains of the organization. */
export function DomainsPage(): ReactElement {
  const t = useMessages(domainMessages);
  return (
    <div className="page">
      <PageHead title={t('title')} />
      <DomainList />
    </div>
  );
}

/** The custom domains of a bucket. */
export function BucketDomains(): ReactElement {
  const { bucketId } = bucketRoute.useParams();
  return <DomainList bucketId={bucketId} />;
}

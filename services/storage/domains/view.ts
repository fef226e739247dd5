import type { Domain, DomainView } from '../../../models/domain.ts';
import { unicodeHostname } from '../../../models/hostname.ts';
import { isoTime } from '../../../models/runtime.ts';
import { defaultHostname } from '../buckets/view.ts';
import type { StorageContext } from '../tools.ts';

/** Name of the record that proves that the customer has the hostname. */
export function ownershipName({ hostname }: Pick<Domain, 'hostname'>): string {
  return `_plycdn.${hostname}`;
}

/** Value of that record. */
export function ownershipValue({ verification }: Pick<Domain, 'verification'>): string {
  return `plycdn-verify=${verification}`;
}

/** The name that the hostname must lead to. */
export function routingTarget(
  app: Pick<StorageContext, 'configuration'>,
  { bucketName }: Pick<Domain, 'bucketName'>,
): string {
  return defaultHostname(app, bucketName);
}

/** A domain as the API shows it. */
export function domainView(app: Pick<StorageContext, 'configuration'>, domain: Domain): DomainView {
  const { hostname, caa } = domain;
  return {
    id: domain._id,
    bucketId: domain.bucketId,
    hostname,
    unicodeHostname: unicodeHostname(hostname),
    state: domain.state,
    failureReason: domain.failureReason,
    apex: domain.apex,
    records: [
      { type: 'TXT', name: ownershipName(domain), value: ownershipValue(domain) },
      { type: 'CNAME', name: hostname, value: routingTarget(app, domain) },
      ...(caa === null ? [] : [{ type: 'CAA' as const, name: caa.name, value: caa.value }]),
    ],
    checks: domain.checks,
    lastCheckedAt: isoTime(domain.lastCheckedAt),
    nextCheckAt: isoTime(domain.nextCheckAt),
    activeAt: isoTime(domain.activeAt),
    createdAt: isoTime(domain.createdAt),
    updatedAt: isoTime(domain.updatedAt),
  };
}

import type { Bucket, BucketNameView, BucketView } from '../../../models/bucket.ts';
import { isoTime } from '../../../models/runtime.ts';
import type { Totals } from '../totals.ts';
import { defaultLinkTtl } from '../settings/defaults.ts';
import type { StorageContext } from '../tools.ts';

/** The hostname under which a bucket is delivered. */
export function defaultHostname({ configuration }: Pick<StorageContext, 'configuration'>, name: string): string {
  return `${name}.${configuration.PLY_DELIVERY_DOMAIN}`;
}

/** A bucket as the API shows it. */
export function bucketView(
  app: Pick<StorageContext, 'configuration'>,
  bucket: Bucket,
  totals: Totals,
  planCeiling: number,
): BucketView {
  const { settings } = bucket;
  const hostname = defaultHostname(app, bucket.name);
  return {
    id: bucket._id,
    name: bucket.name,
    kind: bucket.kind,
    region: bucket.region,
    strictResidency: bucket.strictResidency,
    visibility: bucket.visibility,
    state: bucket.state,
    failureReason: bucket.failureReason,
    suspended: bucket.suspendedAt !== null,
    delivery: {
      ...settings.delivery,
      linkTtlSeconds: settings.delivery.linkTtlSeconds ?? defaultLinkTtl[bucket.kind],
    },
    uploadRules: settings.uploadRules,
    cache: settings.cache,
    cors: settings.cors,
    analytics: {
      enabled: settings.analytics.enabled,
      dimensions: settings.analytics.dimensions,
      ceiling: settings.analytics.ceiling,
      effectiveCeiling: settings.analytics.ceiling ?? planCeiling,
      since: isoTime(settings.analytics.since),
    },
    defaultHostname: hostname,
    deliveryBaseUrl: `https://${hostname}`,
    storedBytes: totals.bytes,
    objectCount: totals.objects,
    createdAt: isoTime(bucket.createdAt),
    updatedAt: isoTime(bucket.updatedAt),
    deletedAt: isoTime(bucket.deletedAt),
    purgeAfter: isoTime(bucket.purgeAfter),
  };
}

/** The answer of a check of a name. */
export function nameView(
  app: Pick<StorageContext, 'configuration'>,
  name: string,
  reason: BucketNameView['reason'],
): BucketNameView {
  return {
    name,
    available: reason === null,
    reason,
    hostname: reason === 'invalid' ? null : defaultHostname(app, name),
  };
}

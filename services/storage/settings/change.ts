import type { Bucket, BucketSettings } from '../../../models/bucket.ts';
import { invalid } from '../../../models/errors.ts';
import { canonicalJson } from '../../../models/json.ts';
import type { BucketChange, SectionChange } from '../../../models/schemas/buckets.ts';
import { changedAnalytics } from './analytics.ts';
import { changedCache } from './cache.ts';
import { changedCors } from './cors.ts';
import { domainRule } from './hosts.ts';

/** Entries once each, in the order sent. */
function once(entries: readonly string[]): string[] {
  return [...new Set(entries)];
}

function domainsOf(given: readonly string[]): string[] {
  return once(
    given.map((entry, index) => {
      const rule = domainRule(entry);
      if (rule === null)
        throw invalid(
          ['body', 'delivery', 'allowedDomains', index],
          'An allowed domain is a host name, or *. and a host name.',
        );
      return rule;
    }),
  );
}

function changedDelivery(
  before: BucketSettings['delivery'],
  change: SectionChange<'delivery'>,
): BucketSettings['delivery'] {
  const { allowedDomains, countriesAllow, countriesBlock, linkTtlSeconds, rateLimitKbps } = change;
  return {
    allowedDomains: allowedDomains === undefined ? before.allowedDomains : domainsOf(allowedDomains ?? []),
    blockNoReferrer: change.blockNoReferrer ?? before.blockNoReferrer,
    countriesAllow: countriesAllow === undefined ? before.countriesAllow : once(countriesAllow ?? []),
    countriesBlock: countriesBlock === undefined ? before.countriesBlock : once(countriesBlock ?? []),
    linkTtlSeconds: linkTtlSeconds === undefined ? before.linkTtlSeconds : linkTtlSeconds,
    ipBinding: change.ipBinding ?? before.ipBinding,
    rateLimitKbps: rateLimitKbps === undefined ? before.rateLimitKbps : rateLimitKbps,
  };
}

function changedUploadRules(
  before: BucketSettings['uploadRules'],
  { maxObjectBytes, allowedTypes, allowOverwrite }: SectionChange<'uploadRules'>,
): BucketSettings['uploadRules'] {
  return {
    maxObjectBytes: maxObjectBytes === undefined ? before.maxObjectBytes : maxObjectBytes,
    allowedTypes: allowedTypes === undefined ? before.allowedTypes : once(allowedTypes ?? []),
    allowOverwrite: allowOverwrite ?? before.allowOverwrite,
  };
}

/** What of a bucket a change of its settings writes. */
export interface ChangedBucket {
  visibility: Bucket['visibility'];
  settings: BucketSettings;
  /** Names of the changed fields, as `section.field`; empty if nothing changes. */
  fields: string[];
}

/**
 * The settings of a bucket after a change: fields that are left out stay, null restores a default.
 * @param now milliseconds, for the hour at which counting begins
 * @throws Refusal `validation_error`
 */
export function changedBucket(
  before: Pick<Bucket, 'visibility' | 'settings' | 'linkScheme'>,
  change: BucketChange,
  now: number,
): ChangedBucket {
  const { delivery, uploadRules, cache, cors, analytics } = before.settings;
  const settings: BucketSettings = {
    delivery: change.delivery === undefined ? delivery : changedDelivery(delivery, change.delivery),
    uploadRules: change.uploadRules === undefined ? uploadRules : changedUploadRules(uploadRules, change.uploadRules),
    cache: change.cache === undefined ? cache : changedCache(cache, change.cache),
    cors: change.cors === undefined ? cors : changedCors(cors, change.cors, before.linkScheme),
    analytics: change.analytics === undefined ? analytics : changedAnalytics(analytics, change.analytics, now),
  };
  const visibility = change.visibility ?? before.visibility;
  return {
    visibility,
    settings,
    fields: [...(visibility === before.visibility ? [] : ['visibility']), ...changedFields(before.settings, settings)],
  };
}

function changedFields(before: BucketSettings, after: BucketSettings): string[] {
  return Object.entries(after).flatMap(([section, values]: [string, object]) => {
    const earlier = new Map<string, unknown>(Object.entries(Reflect.get(before, section) as object));
    return Object.entries(values)
      .filter(([field, value]) => field !== 'since' && canonicalJson(value) !== canonicalJson(earlier.get(field)))
      .map(([field]) => `${section}.${field}`);
  });
}

import type { AnalyticsDimension, CacheRule } from '../../bucket.ts';
import {
  annotated,
  answer,
  boolean,
  count,
  described,
  id,
  listOf,
  literals,
  orNull,
  text,
  texts,
  time,
} from './answer.ts';

const endpoints = answer('RegionEndpoints', {
  s3: text,
  s3VirtualHost: text,
  blob: text,
  blobGlobal: text,
  upload: text,
});

/** A region that is open for new buckets. */
export const regionAnswer = answer('Region', {
  code: text,
  name: text,
  strictCapable: boolean,
  country: annotated(text, { description: 'ISO 3166-1 alpha-2.' }),
  endpoints,
});

/** All open regions. */
export const regionsAnswer = answer('Regions', { items: listOf(regionAnswer) });

const delivery = answer('BucketDelivery', {
  allowedDomains: texts,
  blockNoReferrer: boolean,
  countriesAllow: texts,
  countriesBlock: texts,
  linkTtlSeconds: count,
  ipBinding: boolean,
  rateLimitKbps: orNull(count),
});

const uploadRules = answer('BucketUploadRules', {
  maxObjectBytes: orNull(count),
  allowedTypes: texts,
  allowOverwrite: boolean,
});

const cache = answer('BucketCache', {
  edgeTtlSeconds: orNull(count),
  browserCacheControl: orNull(text),
  rules: listOf(described<CacheRule>({ type: 'object', description: 'A rule; the first that matches holds.' })),
});

const cors = answer('BucketCors', {
  allowedOrigins: texts,
  allowedMethods: texts,
  allowedHeaders: texts,
  exposeHeaders: texts,
  maxAgeSeconds: count,
  allowCredentials: boolean,
});

const analytics = answer('BucketAnalytics', {
  enabled: boolean,
  dimensions: listOf(described<AnalyticsDimension>({ type: 'object', description: 'A dimension rule.' })),
  ceiling: orNull(count),
  effectiveCeiling: count,
  since: orNull(time),
});

/** The fields of a bucket. */
export const bucketFields = {
  id,
  name: text,
  kind: literals('files', 'video'),
  region: text,
  strictResidency: boolean,
  visibility: literals('private', 'public'),
  state: literals('creating', 'active', 'failed', 'deleting', 'deleted'),
  failureReason: orNull(text),
  suspended: boolean,
  delivery,
  uploadRules,
  cache,
  cors,
  analytics,
  defaultHostname: text,
  deliveryBaseUrl: text,
  storedBytes: count,
  objectCount: count,
  createdAt: time,
  updatedAt: time,
  deletedAt: orNull(time),
  purgeAfter: orNull(time),
};

/** A bucket. */
export const bucketAnswer = answer('Bucket', bucketFields);

/** All buckets of an organization. */
export const bucketsAnswer = answer('Buckets', { items: listOf(bucketAnswer) });

/** Whether a bucket's name is available. */
export const bucketNameAnswer = answer('BucketName', {
  name: text,
  available: boolean,
  reason: orNull(literals('invalid', 'taken')),
  hostname: orNull(text),
});

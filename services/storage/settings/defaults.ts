import type { BucketSettings } from '../../../models/bucket.ts';

/** The CORS settings of a new bucket: off until there are origins. */
export const defaultCors: Readonly<BucketSettings['cors']> = {
  allowedOrigins: [],
  allowedMethods: ['GET', 'HEAD'],
  allowedHeaders: [],
  exposeHeaders: [],
  maxAgeSeconds: 600,
  allowCredentials: false,
};

/** Seconds that signed links last where nothing else is set, by kind of bucket. */
export const defaultLinkTtl = { files: 900, video: 14_400 } as const;

/** The settings of a new bucket. */
export function defaultSettings(): BucketSettings {
  return {
    delivery: {
      allowedDomains: [],
      blockNoReferrer: false,
      countriesAllow: [],
      countriesBlock: [],
      linkTtlSeconds: null,
      ipBinding: false,
      rateLimitKbps: null,
    },
    uploadRules: { maxObjectBytes: null, allowedTypes: [], allowOverwrite: false },
    cache: { edgeTtlSeconds: null, browserCacheControl: null, rules: [] },
    cors: structuredClone(defaultCors),
    analytics: { enabled: false, dimensions: [], ceiling: null, since: null },
  };
}

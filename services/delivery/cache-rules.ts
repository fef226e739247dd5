import type { BucketSettings } from '../../models/bucket.ts';

/** How long copies of a file are kept: by the edge, and by whom it delivers to. */
export interface CacheTerms {
  edgeTtlMs: number;
  cacheControl: string;
}

const defaultEdgeTtlSeconds = 86_400;
const defaultCacheControl = { public: 'public, max-age=3600', private: 'private, max-age=0' };

/** The terms for a key: those of the first rule that matches, where it has any, else the bucket's, else the defaults. */
export function cacheTerms(
  { edgeTtlSeconds, browserCacheControl, rules }: BucketSettings['cache'],
  visibility: 'public' | 'private',
  key: string,
): CacheTerms {
  const extension = extensionOf(key);
  const rule = rules.find(({ pathPrefix, extensions }) =>
    pathPrefix !== undefined ? key.startsWith(pathPrefix) : extensions?.includes(extension),
  );
  return {
    edgeTtlMs: (rule?.edgeTtlSeconds ?? edgeTtlSeconds ?? defaultEdgeTtlSeconds) * 1000,
    cacheControl: rule?.browserCacheControl ?? browserCacheControl ?? defaultCacheControl[visibility],
  };
}

/** What follows the last dot of the last segment, lower case; empty where there is none. */
function extensionOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

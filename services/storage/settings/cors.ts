import type { BucketSettings } from '../../../models/bucket.ts';
import { invalid } from '../../../models/errors.ts';
import type { LinkScheme } from '../../../models/region.ts';
import type { SectionChange } from '../../../models/schemas/buckets.ts';
import { defaultCors } from './defaults.ts';
import { originOf } from './hosts.ts';

type Cors = BucketSettings['cors'];

/** Refuses repeated entries, and `*` beside others. @throws Refusal `validation_error` */
function distinct(name: keyof Cors, entries: string[]): string[] {
  const at = ['body', 'cors', name];
  if (new Set(entries).size < entries.length) throw invalid(at, `${name} lists an entry twice.`);
  if (entries.includes('*') && entries.length > 1)
    throw invalid(at, `${name} is either the single entry * or has no *.`);
  return entries;
}

function originsOf(given: string[]): string[] {
  return distinct(
    'allowedOrigins',
    given.map((entry, index) => {
      const origin = entry === '*' ? '*' : originOf(entry);
      if (origin === null)
        throw invalid(
          ['body', 'cors', 'allowedOrigins', index],
          'An origin is https://host[:port] (http:// for localhost and 127.0.0.1 only), without path, user or wildcard.',
        );
      return origin;
    }),
  );
}

function lowerCase(name: 'allowedHeaders' | 'exposeHeaders', given: string[]): string[] {
  return distinct(
    name,
    given.map((entry) => entry.toLowerCase()),
  );
}

/**
 * The CORS settings after a change.
 * @throws Refusal `validation_error`, also for credentials together with `*` or on a bucket with `pl1` links
 */
export function changedCors(before: Cors, change: SectionChange<'cors'>, linkScheme: LinkScheme): Cors {
  const { allowedOrigins, allowedMethods, allowedHeaders, exposeHeaders, maxAgeSeconds, allowCredentials } = change;
  const after: Cors = {
    allowedOrigins: allowedOrigins === undefined ? before.allowedOrigins : originsOf(allowedOrigins ?? []),
    allowedMethods:
      allowedMethods === undefined
        ? before.allowedMethods
        : distinct('allowedMethods', allowedMethods ?? defaultCors.allowedMethods),
    allowedHeaders:
      allowedHeaders === undefined ? before.allowedHeaders : lowerCase('allowedHeaders', allowedHeaders ?? []),
    exposeHeaders: exposeHeaders === undefined ? before.exposeHeaders : lowerCase('exposeHeaders', exposeHeaders ?? []),
    maxAgeSeconds: maxAgeSeconds === undefined ? before.maxAgeSeconds : (maxAgeSeconds ?? defaultCors.maxAgeSeconds),
    allowCredentials: allowCredentials ?? before.allowCredentials,
  };
  if (!after.allowCredentials) return after;
  const at = ['body', 'cors', 'allowCredentials'];
  if ([after.allowedOrigins, after.allowedHeaders, after.exposeHeaders].some((list) => list.includes('*')))
    throw invalid(at, 'Credentials are not allowed together with * as origin, allowed header or exposed header.');
  if (linkScheme === 'pl1')
    throw invalid(at, 'Credentials are not available for buckets of this region; use a bucket in another region.');
  return after;
}

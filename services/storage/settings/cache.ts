import type { BucketSettings, CacheRule } from '../../../models/bucket.ts';
import { invalid } from '../../../models/errors.ts';
import type { SectionChange } from '../../../models/schemas/buckets.ts';
import { prefixFault } from '../../../models/storage-key.ts';

const words = new Set([
  'public',
  'private',
  'no-cache',
  'no-store',
  'must-revalidate',
  'proxy-revalidate',
  'immutable',
  'no-transform',
]);
const withSeconds = new Set(['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error']);
const maxSeconds = 31_536_000;

/** The directives of a `Cache-Control` for browsers in their normal form; null if they are not valid. */
export function cacheControlOf(given: string): string | null {
  const names = new Set<string>();
  const directives: string[] = [];
  for (const part of given.split(',')) {
    const directive = part.trim().toLowerCase();
    const [, name = directive, seconds] = /^([a-z-]+)=(\d{1,9})$/.exec(directive) ?? [];
    const isKnown = seconds === undefined ? words.has(name) : withSeconds.has(name) && Number(seconds) <= maxSeconds;
    if (!isKnown || names.has(name)) return null;
    names.add(name);
    directives.push(seconds === undefined ? name : `${name}=${Number(seconds)}`);
  }
  if (names.has('public') && names.has('private')) return null;
  if (names.has('no-store') && (names.has('max-age') || names.has('s-maxage'))) return null;
  return directives.join(', ');
}

const path = ['body', 'cache'];

function normalCacheControl(given: string, at: (string | number)[]): string {
  const normal = cacheControlOf(given);
  if (normal === null)
    throw invalid([...at, 'browserCacheControl'], 'The directives of browserCacheControl are not valid together.');
  return normal;
}

function ruleOf(rule: NonNullable<SectionChange<'cache'>['rules']>[number], at: (string | number)[]): CacheRule {
  const { pathPrefix, extensions, edgeTtlSeconds, browserCacheControl } = rule;
  if ((pathPrefix === undefined) === (extensions === undefined))
    throw invalid(at, 'A cache rule has either pathPrefix or extensions.');
  if (edgeTtlSeconds === undefined && browserCacheControl === undefined)
    throw invalid(at, 'A cache rule sets edgeTtlSeconds, browserCacheControl or both.');
  const fault = pathPrefix === undefined ? null : prefixFault(pathPrefix);
  if (fault !== null) throw invalid([...at, 'pathPrefix'], `pathPrefix ${fault}.`);
  return {
    ...(pathPrefix === undefined ? {} : { pathPrefix }),
    ...(extensions === undefined
      ? {}
      : { extensions: [...new Set(extensions.map((each) => each.replace(/^\./, '').toLowerCase()))] }),
    ...(edgeTtlSeconds === undefined ? {} : { edgeTtlSeconds }),
    ...(browserCacheControl === undefined ? {} : { browserCacheControl: normalCacheControl(browserCacheControl, at) }),
  };
}

/** The cache settings after a change. @throws Refusal `validation_error` */
export function changedCache(
  before: BucketSettings['cache'],
  { edgeTtlSeconds, browserCacheControl, rules }: SectionChange<'cache'>,
): BucketSettings['cache'] {
  return {
    edgeTtlSeconds: edgeTtlSeconds === undefined ? before.edgeTtlSeconds : edgeTtlSeconds,
    browserCacheControl:
      browserCacheControl === undefined
        ? before.browserCacheControl
        : browserCacheControl === null
          ? null
          : normalCacheControl(browserCacheControl, path),
    rules:
      rules === undefined ? before.rules : (rules ?? []).map((rule, index) => ruleOf(rule, [...path, 'rules', index])),
  };
}

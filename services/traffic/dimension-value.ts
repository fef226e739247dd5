import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import type { AnalyticsDimension } from '../../models/bucket.ts';
import type { ServedRow } from '../../models/traffic.ts';

/** The value of a request in which a rule finds nothing. */
export const noValue = '(none)';
/** The value of a request with a tag that nobody vouches for. */
export const unverifiedValue = '(unverified)';
/** Stands for values beyond the ceiling, and for those beyond the largest ones of a series. */
export const otherValue = 'other';

/** Bytes of a value, and of the path that a pattern looks at. */
const maxValueBytes = 128;
const maxPathBytes = 2048;

const patterns = new LRUCache<string, RE2JS>({ max: 1000 });

/** The first bytes of a text, without a character that is cut in two. */
export function firstBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  let end = bytes;
  // Continuation bytes of UTF-8 begin with the bits 10.
  while (end > 0 && ((all[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return all.toString('utf8', 0, end);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The first value of a query parameter, decoded; null if it is absent. */
function parameterOf(query: string, name: string): string | null {
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=');
    if (decoded(at === -1 ? pair : pair.slice(0, at)) === name) return at === -1 ? '' : decoded(pair.slice(at + 1));
  }
  return null;
}

function captured(pattern: string, path: string): string | null {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    compiled = RE2JS.compile(pattern);
    patterns.set(pattern, compiled);
  }
  const matcher = compiled.matcher(firstBytes(path, maxPathBytes));
  return matcher.find() ? (matcher.group(1) ?? null) : null;
}

function readValue({ type, index, param, tag, pattern }: AnalyticsDimension, row: ServedRow): string | null {
  const [, , , , , key, query, isLinkValid] = row;
  switch (type) {
    case 'pathSegment':
      return key.split('/')[(index ?? 1) - 1] ?? null;
    case 'queryParam':
      return parameterOf(query, param ?? '');
    case 'tag': {
      const value = parameterOf(query, `tag.${tag ?? ''}`);
      return value !== null && isLinkValid === 0 ? unverifiedValue : value;
    }
    case 'pattern':
      return captured(pattern ?? '', `/${key}`);
  }
}

/** The value by which a rule counts a request: at most 128 bytes, `(none)` where there is nothing to read. */
export function dimensionValue(rule: AnalyticsDimension, row: ServedRow): string {
  const value = firstBytes(readValue(rule, row) ?? '', maxValueBytes);
  return value === '' ? noValue : value;
}

import type { IncomingMessage } from 'node:http';

/** What identifies the version of a representation (RFC 9110, 8.8). */
export interface Validators {
  /** Entity tag with its quotes, and `W/` in front of a weak one. */
  etag?: string;
  /** Milliseconds since the epoch. */
  lastModified?: number;
}

/** Bytes of a representation, both inclusive. */
export interface ByteRange {
  from: number;
  to: number;
}

type Conditional = Pick<IncomingMessage, 'method' | 'headers'>;

const entityTag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** The time of an HTTP date in milliseconds, or NaN. */
function timeOf(date: string | undefined): number {
  return date === undefined ? Number.NaN : Date.parse(date);
}

/** HTTP dates have no fractions of a second. */
function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}

/** Whether one of the listed entity tags matches. A weak comparison ignores `W/`, a strong one accepts no weak tag. */
function matches(list: string, etag: string | undefined, comparison: 'weak' | 'strong'): boolean {
  if (list.trim() === '*') return true;
  if (etag === undefined || (comparison === 'strong' && etag.startsWith('W/'))) return false;
  const tags: readonly string[] = list.match(entityTag) ?? [];
  return comparison === 'strong'
    ? tags.includes(etag)
    : tags.some((tag) => tag.replace('W/', '') === etag.replace('W/', ''));
}

/**
 * Evaluates the conditional headers of a request for a representation that exists (RFC 9110, 13.2.2).
 * @returns 412 where a precondition failed, 304 where the client has the representation already, else 200
 */
export function evaluateConditions(
  { method, headers }: Conditional,
  { etag, lastModified }: Validators,
): 200 | 304 | 412 {
  const isRead = method === 'GET' || method === 'HEAD';
  const changed = lastModified === undefined ? Number.NaN : wholeSeconds(lastModified);
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && !matches(ifMatch, etag, 'strong')) return 412;
  if (ifMatch === undefined && changed > timeOf(headers['if-unmodified-since'])) return 412;
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (!matches(ifNoneMatch, etag, 'weak')) return 200;
    return isRead ? 304 : 412;
  }
  return isRead && changed <= timeOf(headers['if-modified-since']) ? 304 : 200;
}

/** Whether `If-Range` allows a part: it names the current version by a strong validator (RFC 9110, 13.1.5). */
function allowsRange(ifRange: string | string[] | undefined, { etag, lastModified }: Validators): boolean {
  if (ifRange === undefined) return true;
  if (typeof ifRange !== 'string') return false;
  if (ifRange.startsWith('"')) return ifRange === etag;
  return lastModified !== undefined && timeOf(ifRange) === wholeSeconds(lastModified);
}

/**
 * The part of a representation that a GET asks for (RFC 9110, 14.2). Several ranges, other units and malformed ranges
 * are ignored, as the RFC allows: the whole representation is sent.
 * @param size of the representation in bytes
 * @returns null for the whole representation
 */
export function requestedRange(
  { method, headers }: Conditional,
  validators: Validators,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(headers.range ?? '') ?? [];
  if (method !== 'GET' || (first === '' && last === '') || !allowsRange(headers['if-range'], validators)) return null;
  if (first === '') {
    const suffix = Math.min(Number(last), size);
    return suffix === 0 ? 'unsatisfiable' : { from: size - suffix, to: size - 1 };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return null;
  if (from >= size) return 'unsatisfiable';
  return { from, to: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

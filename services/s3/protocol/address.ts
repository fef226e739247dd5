import type { IncomingMessage } from 'node:http';
import type { Region } from '../../../models/region.ts';
import { Fault } from './faults.ts';

/** What a request's target names. */
export interface S3Address {
  /** The path before the question mark, as sent. */
  path: string;
  /** Names and values of the query, decoded, in the order sent. */
  query: readonly (readonly [name: string, value: string])[];
  /** Null for the service itself. */
  bucket: string | null;
  /** Null for a bucket. */
  key: string | null;
  /** Whether the bucket stands in the host, not in the path. */
  isVirtualHost: boolean;
}

/** The value of a parameter, the first of several; null if it is not there. */
export function parameter({ query }: Pick<S3Address, 'query'>, name: string): string | null {
  return query.find(([each]) => each === name)?.[1] ?? null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault('InvalidURI');
  }
}

function queryOf(search: string): [string, string][] {
  return search
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const spaced = pair.replaceAll('+', ' ');
      const equals = spaced.indexOf('=');
      return equals < 0 ? [decoded(spaced), ''] : [decoded(spaced.slice(0, equals)), decoded(spaced.slice(equals + 1))];
    });
}

/** The ends of host names in front of which the name of a bucket stands (virtual-host style), without ports. */
export function bucketHosts(regions: readonly Region[]): readonly string[] {
  const ends = regions.map(({ endpoints }) => /\/\/\{bucket\}(\.[^/:]+)/.exec(endpoints.s3VirtualHost)?.[1]);
  return [...new Set(ends.flatMap((end) => (end === undefined ? [] : [end.toLowerCase()])))];
}

/** Reads the target of a request. @throws Fault `InvalidURI` */
export function readAddress({ url = '/', headers }: IncomingMessage, hosts: readonly string[]): S3Address {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = target.indexOf('?');
  const path = (mark < 0 ? target : target.slice(0, mark)) || '/';
  const query = mark < 0 ? [] : queryOf(target.slice(mark + 1));
  const host = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  const end = hosts.find((each) => host.length > each.length && host.endsWith(each));
  const names = path.slice(1);
  if (end !== undefined) {
    const key = decoded(names);
    return { path, query, bucket: host.slice(0, -end.length), key: key === '' ? null : key, isVirtualHost: true };
  }
  const slash = names.indexOf('/');
  const bucket = decoded(slash < 0 ? names : names.slice(0, slash));
  const key = slash < 0 ? '' : decoded(names.slice(slash + 1));
  return { path, query, bucket: bucket === '' ? null : bucket, key: key === '' ? null : key, isVirtualHost: false };
}

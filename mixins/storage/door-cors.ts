import type { IncomingMessage } from 'node:http';
import type { Bucket } from '../../models/bucket.ts';

type Settings = Pick<Bucket, 'settings'>;
type Request = Pick<IncomingMessage, 'headers'>;

/** Methods that pages of a bucket's origins may use at a door. */
const methods: readonly string[] = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

/** The origin as responses name it; null where the bucket does not allow it. */
function allowedOrigin({ settings: { cors } }: Settings, origin: string): string | null {
  if (cors.allowedOrigins.includes('*')) return '*';
  return cors.allowedOrigins.includes(origin.toLowerCase()) ? origin : null;
}

/** What lets a page of an allowed origin send its cookies. */
function credentialsOf({ settings: { cors } }: Settings): { [name: string]: string } {
  return cors.allowCredentials ? { 'Access-Control-Allow-Credentials': 'true' } : {};
}

/**
 * Headers that let a page of an allowed origin read a response.
 * @param exposed the headers that it may read, as `Access-Control-Expose-Headers` lists them
 */
export function corsHeaders(
  bucket: Settings | null,
  { headers: { origin } }: Request,
  exposed: string,
): { [name: string]: string } {
  if (bucket === null || bucket.settings.cors.allowedOrigins.length === 0) return {};
  const allowed = origin === undefined ? null : allowedOrigin(bucket, origin);
  if (allowed === null) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': exposed,
    ...credentialsOf(bucket),
  };
}

/**
 * Headers of the answer to a preflight, which needs no signature; null where it is not allowed.
 * @param separator between the methods, as the protocol's own servers write it
 */
export function preflightHeaders(
  bucket: Settings | null,
  { headers }: Request,
  separator: string,
): { [name: string]: string } | null {
  if (bucket === null || !methods.includes(headers['access-control-request-method'] ?? '')) return null;
  const allowed = allowedOrigin(bucket, headers.origin ?? '');
  if (allowed === null) return null;
  const asked = headers['access-control-request-headers'];
  return {
    Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Allow-Methods': methods.join(separator),
    ...(asked === undefined ? {} : { 'Access-Control-Allow-Headers': asked }),
    'Access-Control-Max-Age': String(bucket.settings.cors.maxAgeSeconds),
    ...credentialsOf(bucket),
  };
}

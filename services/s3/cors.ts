import type { IncomingMessage } from 'node:http';
import type { Bucket } from '../../models/bucket.ts';
import { Fault } from './protocol/faults.ts';

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

/** The origin as responses name it; null where the bucket does not allow it. */
function allowedOrigin({ settings: { cors } }: Pick<Bucket, 'settings'>, origin: string): string | null {
  if (cors.allowedOrigins.includes('*')) return '*';
  return cors.allowedOrigins.includes(origin.toLowerCase()) ? origin : null;
}

/** Headers that let a page of an allowed origin read a response. @param names of the response's headers */
export function corsHeaders(
  bucket: Pick<Bucket, 'settings'> | null,
  { headers }: Pick<IncomingMessage, 'headers'>,
  names: readonly string[],
): { [name: string]: string } {
  if (bucket === null || bucket.settings.cors.allowedOrigins.length === 0) return {};
  const allowed = headers.origin === undefined ? null : allowedOrigin(bucket, headers.origin);
  if (allowed === null) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': [...new Set(['ETag', ...names])].join(', '),
    ...(bucket.settings.cors.allowCredentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
  };
}

/** Headers of the answer to a preflight, which needs no signature. @throws Fault `CORSForbidden` */
export function preflightHeaders(
  bucket: Pick<Bucket, 'settings'> | null,
  { headers }: Pick<IncomingMessage, 'headers'>,
): { [name: string]: string } {
  const method = headers['access-control-request-method'] ?? '';
  const allowed = bucket === null || !methods.includes(method) ? null : allowedOrigin(bucket, headers.origin ?? '');
  if (bucket === null || allowed === null) throw new Fault('CORSForbidden');
  const asked = headers['access-control-request-headers'];
  return {
    Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Allow-Methods': methods.join(', '),
    ...(asked === undefined ? {} : { 'Access-Control-Allow-Headers': asked }),
    'Access-Control-Max-Age': String(bucket.settings.cors.maxAgeSeconds),
    ...(bucket.settings.cors.allowCredentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
  };
}

import type { IncomingHttpHeaders } from 'node:http';
import type { BucketSettings } from '../../models/bucket.ts';

/** The CORS settings of a bucket, made ready; null where CORS is off. */
export interface Cors {
  /** Null for any. */
  origins: ReadonlySet<string> | null;
  methods: ReadonlySet<string>;
  /** Headers that may be asked for, lower case; null for any. */
  headers: ReadonlySet<string> | null;
  /** Headers of actual responses, beside the origin. */
  always: readonly string[];
  /** Headers of preflights, beside the origin. */
  preflight: readonly string[];
}

/** Makes settings ready. */
export function corsOf(settings: BucketSettings['cors']): Cors | null {
  const { allowedOrigins, allowedMethods, allowedHeaders, exposeHeaders, maxAgeSeconds, allowCredentials } = settings;
  if (allowedOrigins.length === 0) return null;
  const credentials = allowCredentials ? ['Access-Control-Allow-Credentials', 'true'] : [];
  return {
    origins: allowedOrigins.includes('*') ? null : new Set(allowedOrigins),
    methods: new Set(allowedMethods),
    headers: allowedHeaders.includes('*') ? null : new Set(allowedHeaders),
    always: [
      ...credentials,
      ...(exposeHeaders.length === 0 ? [] : ['Access-Control-Expose-Headers', exposeHeaders.join(', ')]),
    ],
    preflight: [
      ...credentials,
      ...['Access-Control-Allow-Methods', allowedMethods.join(', ')],
      ...(allowedHeaders.length === 0 ? [] : ['Access-Control-Allow-Headers', allowedHeaders.join(', ')]),
      ...['Access-Control-Max-Age', String(maxAgeSeconds)],
    ],
  };
}

/** The origin as a response names it; null where it is not allowed. */
function allowedOrigin({ origins }: Cors, origin: string): string | null {
  if (origins === null) return '*';
  return origins.has(origin.toLowerCase()) ? origin : null;
}

/** What any response says, so that caches on the way keep answers for different origins apart. */
export function varyLines(cors: Cors | null): readonly string[] {
  return cors === null || cors.origins === null ? [] : ['Vary', 'Origin'];
}

/** Headers of a response to an actual request: delivered or refused. */
export function corsLines(cors: Cors | null, method: string, origin: string | undefined): readonly string[] {
  if (cors === null || origin === undefined || !cors.methods.has(method)) return [];
  const allowed = allowedOrigin(cors, origin);
  return allowed === null ? [] : ['Access-Control-Allow-Origin', allowed, ...cors.always];
}

/** Headers of a 204 to a preflight. Where it is not allowed, the browser misses those that allow it. */
export function preflightLines(cors: Cors | null, headers: IncomingHttpHeaders): readonly string[] {
  const vary = ['Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'];
  const { origin } = headers;
  if (cors === null || origin === undefined) return vary;
  const allowed = allowedOrigin(cors, origin);
  const method = headers['access-control-request-method'] ?? '';
  const asked = (headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const allows = cors.methods.has(method) && asked.every((name) => cors.headers === null || cors.headers.has(name));
  return allowed === null || !allows ? vary : [...vary, 'Access-Control-Allow-Origin', allowed, ...cors.preflight];
}

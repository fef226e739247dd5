import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Configuration } from '../../../models/configuration/configuration.ts';
import { sessionMs } from '../../../models/dashboard.ts';
import { Refusal } from '../../../models/errors.ts';

const name = 'ply_session';
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

type Settings = Pick<Configuration, 'PLY_PUBLIC_URL'>;
type Sent = Pick<IncomingMessage, 'headers' | 'method'>;

/** SHA-256 of the token of a request's dashboard session; null if it has no such cookie. */
export function sessionHashOf({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [given, token = ''] = pair.trim().split('=', 2);
    if (given === name && tokenForm.test(token)) return hash('sha256', token, 'hex');
  }
  return null;
}

/** The header that sets the cookie of a session; with null, the one that removes it. */
export function sessionCookie({ PLY_PUBLIC_URL }: Settings, token: string | null): string {
  const secure = PLY_PUBLIC_URL?.startsWith('https:') === true ? '; Secure' : '';
  const maxAge = token === null ? 0 : sessionMs / 1000;
  return `${name}=${token ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Refuses a request that another site's page may have made a browser send with its cookie: one that may change
 * something and does not say that it comes from the API's own origin.
 * @throws Refusal `origin_not_allowed`
 */
export function requireOwnOrigin({ PLY_PUBLIC_URL }: Settings, { headers, method }: Sent): void {
  if (method === 'GET' || method === 'HEAD') return;
  const own = PLY_PUBLIC_URL === null ? `http://${(headers.host ?? '').toLowerCase()}` : new URL(PLY_PUBLIC_URL).origin;
  if (headers.origin?.toLowerCase() !== own) throw new Refusal('origin_not_allowed');
}

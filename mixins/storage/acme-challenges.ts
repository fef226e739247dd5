import { acmeChallenges } from '../../models/acme.ts';
import { systemScope } from '../../models/scope.ts';
import type { AppContext } from '../app-context.ts';

/** Where certificate authorities ask for proof that a hostname leads here (RFC 8555, 8.3). */
const challengePrefix = '/.well-known/acme-challenge/';
const tokenForm = /^[A-Za-z0-9_-]{1,200}$/;

/**
 * The answer to a certificate authority.
 * @param path the request's path, as it was received
 * @returns a text, or null where the path is that of no challenge under way
 */
export async function challengeAnswer({ records }: Pick<AppContext, 'records'>, path: string): Promise<string | null> {
  const token = path.startsWith(challengePrefix) ? path.slice(challengePrefix.length) : '';
  if (!tokenForm.test(token)) return null;
  return (await records.collection(acmeChallenges, systemScope).get(token))?.keyAuthorization ?? null;
}

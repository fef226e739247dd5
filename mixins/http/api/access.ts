import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { call, type ActionCaller } from '../../actions/call.ts';
import type { KeyAccess, OrganizationAccess } from '../../actions/accounts.ts';
import type { Configuration } from '../../../models/configuration/configuration.ts';
import { Refusal } from '../../../models/errors.ts';
import { requireOwnOrigin, sessionHashOf } from './session-cookie.ts';

/**
 * Returns about keys or organizations, those under way included. A revoked key works for a second longer at most, and
 * requests with unknown keys do not fill the memory.
 */
type AnswerCache<T> = LRUCache<string, Promise<T>>;

function answerCache<T>(): AnswerCache<T> {
  return new LRUCache({ max: 10_000, ttl: 1000, ttlResolution: 0 });
}

/** The cached answer for a key, or the one that `load` makes. Failures are not cached. */
function cached<T>(cache: AnswerCache<T>, key: string, load: () => Promise<T>): Promise<T> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const answer = load();
  cache.set(key, answer);
  answer.catch(() => {
    if (cache.peek(key) === answer) cache.delete(key);
  });
  return answer;
}

/** The key of a request, or the session in its place, and the organization it is for. */
export interface Identity {
  key: KeyAccess;
  organizationId: string;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads keys and organizations from headers and asks the accounts service about them. */
export class AccessControl {
  private readonly keys: AnswerCache<KeyAccess | null> = answerCache();
  private readonly organizations: AnswerCache<OrganizationAccess> = answerCache();

  /** Drops what is cached of organizations, after some were changed. */
  forgetOrganizations(): void {
    this.organizations.clear();
  }

  /**
   * The key of a request, or the session of the dashboard in its place, and the organization it names, if the account
   * covers it.
   * @param isOwnByDefault whether a request that names no organization is for the account's own
   * @throws Refusal 400, 401, 403
   */
  async identify(
    actions: ActionCaller,
    request: Pick<IncomingMessage, 'headers' | 'socket' | 'method'>,
    settings: Pick<Configuration, 'PLY_PUBLIC_URL'>,
    { isOwnByDefault = false }: { isOwnByDefault?: boolean } = {},
  ): Promise<Identity> {
    const { headers, socket } = request;
    const tokenHash = headers.authorization === undefined ? sessionHashOf(request) : null;
    let key: KeyAccess | null;
    if (tokenHash === null) {
      const keyHash = hashOf(socket, headers.authorization);
      key = await cached(this.keys, keyHash, () => call(actions, 'accounts.keyAccess', { keyHash }));
      if (key === null) throw new Refusal('invalid_api_key');
    } else {
      // Not cached: a session that was ended is over at once.
      key = await call(actions, 'accounts.sessionAccess', { tokenHash });
      if (key === null) throw new Refusal('api_key_required', { detail: 'The session of the dashboard is over.' });
      requireOwnOrigin(settings, request);
    }
    const header = headers['x-organization-id'];
    if (header === undefined && isOwnByDefault) return { key, organizationId: key.ownOrganizationId };
    if (typeof header !== 'string' || !uuidPattern.test(header)) throw new Refusal('organization_required');
    const organizationId = header.toLowerCase();
    const { accountId, ownOrganizationId } = key;
    if (organizationId === ownOrganizationId) return { key, organizationId };
    const access = await cached(this.organizations, `${accountId} ${organizationId}`, () =>
      call(actions, 'accounts.organizationAccess', { accountId, organizationId }),
    );
    if (access !== 'allowed') throw new Refusal('organization_forbidden');
    return { key, organizationId };
  }
}

const lastKey = Symbol('last key of the connection');

/** The last key of a connection and its hash: most clients send the same key in each request. */
interface KeyOfConnection {
  [lastKey]?: { authorization: string; keyHash: string };
}

/** SHA-256 of the key in an Authorization header. @throws Refusal 401 */
function hashOf(connection: object & KeyOfConnection, authorization: string | undefined): string {
  const last = connection[lastKey];
  if (last !== undefined && last.authorization === authorization) return last.keyHash;
  const key = /^ApiKey +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim();
  if (key === undefined || authorization === undefined) throw new Refusal('api_key_required');
  if (key.length > 200) throw new Refusal('invalid_api_key');
  const keyHash = hash('sha256', key, 'hex');
  connection[lastKey] = { authorization, keyHash };
  return keyHash;
}

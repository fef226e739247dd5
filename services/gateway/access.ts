import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { call, type ActionCaller, type KeyAccess, type OrganizationAccess } from '../../mixins/actions.ts';
import { Refusal } from '../../models/errors.ts';
import { then, type Soon } from './soon.ts';

/** Milliseconds for which an answer about a key or an organization is believed. A revoked key works no longer. */
const believedFor = 1000;
/** Answers kept at most: a flood of unknown keys must not fill the memory. */
const mostKept = 10_000;

/** Remembers answers, and those under way, for a second. A failed question is forgotten at once. */
class ShortMemory<T> {
  private readonly kept = new Map<string, { answer: Soon<T>; until: number }>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** The answer to a question, asked at most once a second: at once where it is remembered. */
  ask(question: string, find: () => Promise<T>): Soon<T> {
    const now = this.now();
    const known = this.kept.get(question);
    if (known !== undefined && known.until > now) return known.answer;
    return this.learn(question, find(), now + believedFor);
  }

  /** Forgets every answer: questions are asked anew from now on. */
  forget(): void {
    this.kept.clear();
  }

  private async learn(question: string, asked: Promise<T>, until: number): Promise<T> {
    const entry: { answer: Soon<T>; until: number } = { answer: asked, until };
    this.kept.delete(question);
    if (this.kept.size >= mostKept) this.forgetOldest();
    this.kept.set(question, entry);
    try {
      const answer = await asked;
      entry.answer = answer;
      return answer;
    } catch (error) {
      if (this.kept.get(question) === entry) this.kept.delete(question);
      throw error;
    }
  }

  private forgetOldest(): void {
    // Entries stand in the order in which they were asked.
    const [oldest] = this.kept.keys();
    if (oldest !== undefined) this.kept.delete(oldest);
  }
}

/** Who asks, and for which organization. */
export interface Identity {
  key: KeyAccess;
  organizationId: string;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads keys and organizations from headers and asks the accounts service about them. */
export class AccessControl {
  private readonly keys: ShortMemory<KeyAccess | null>;
  private readonly organizations: ShortMemory<OrganizationAccess>;

  constructor(now: () => number) {
    this.keys = new ShortMemory(now);
    this.organizations = new ShortMemory(now);
  }

  /** Forgets which organizations may be asked for, because some were changed. */
  forgetOrganizations(): void {
    this.organizations.forget();
  }

  /** What the key of a request's Authorization header may do. @throws Refusal 401 */
  keyOf(actions: ActionCaller, { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): Soon<KeyAccess> {
    const keyHash = hashOf(socket, headers.authorization);
    return then(this.keys.ask(keyHash, () => call(actions, 'accounts.keyAccess', { keyHash })), known);
  }

  /** The organization that a header names, if the account covers it. @throws Refusal 400, 403 */
  organizationOf(actions: ActionCaller, key: KeyAccess, header: string | string[] | undefined): Soon<string> {
    // The account's own is most often asked for, as it is written in its record.
    if (header === key.ownOrganizationId) return header;
    if (typeof header !== 'string' || !uuidPattern.test(header)) throw new Refusal('organization_required');
    const organizationId = header.toLowerCase();
    if (organizationId === key.ownOrganizationId) return organizationId;
    const { accountId } = key;
    const access = this.organizations.ask(`${accountId} ${organizationId}`, () => call(actions, 'accounts.organizationAccess', { accountId, organizationId }));
    return then(access, (answer) => {
      if (answer !== 'allowed') throw new Refusal('organization_forbidden');
      return organizationId;
    });
  }
}

/** What a connection's last request said of its key: most clients say the same in each. */
interface Said {
  authorization: string;
  keyHash: string;
}

const said = Symbol('authorization');

/** SHA-256 of the key in an Authorization header. @throws Refusal 401 */
function hashOf(connection: object & { [said]?: Said }, authorization: string | undefined): string {
  const before = connection[said];
  if (before !== undefined && before.authorization === authorization) return before.keyHash;
  const key = /^ApiKey +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim();
  if (key === undefined || authorization === undefined) throw new Refusal('api_key_required');
  if (key.length > 200) throw new Refusal('invalid_api_key');
  const keyHash = hash('sha256', key, 'hex');
  connection[said] = { authorization, keyHash };
  return keyHash;
}

function known(access: KeyAccess | null): KeyAccess {
  if (access === null) throw new Refusal('invalid_api_key');
  return access;
}

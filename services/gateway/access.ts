import { hash } from 'node:crypto';
import type { KeyAccess, OrganizationAccess } from '../../mixins/actions.ts';
import { call } from '../../mixins/actions.ts';
import { Refusal } from '../../models/errors.ts';
import type { ActionCaller } from './route.ts';

/** Milliseconds for which an answer about a key or an organization is believed. A revoked key works no longer. */
const believedFor = 1000;
/** Answers kept at most: a flood of unknown keys must not fill the memory. */
const mostKept = 10_000;

/** Remembers answers, and those under way, for a second. A failed question is forgotten at once. */
export class ShortMemory<T> {
  private readonly kept = new Map<string, { answer: Promise<T>; until: number }>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** The answer to a question, asked at most once a second. */
  async ask(question: string, find: () => Promise<T>): Promise<T> {
    const now = this.now();
    const known = this.kept.get(question);
    if (known !== undefined && known.until > now) return known.answer;
    const entry = { answer: find(), until: now + believedFor };
    this.kept.delete(question);
    if (this.kept.size >= mostKept) this.forgetOldest();
    this.kept.set(question, entry);
    try {
      return await entry.answer;
    } catch (error) {
      if (this.kept.get(question) === entry) this.kept.delete(question);
      throw error;
    }
  }

  /** Forgets every answer: questions are asked anew from now on. */
  forget(): void {
    this.kept.clear();
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

  /** What the key of an Authorization header may do. @throws Refusal 401 */
  async keyOf(actions: ActionCaller, authorization: string | undefined): Promise<KeyAccess> {
    const key = /^ApiKey +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim();
    if (key === undefined) throw new Refusal('api_key_required');
    if (key.length > 200) throw new Refusal('invalid_api_key');
    const keyHash = hash('sha256', key, 'hex');
    const access = await this.keys.ask(keyHash, () => call(actions, 'accounts.keyAccess', { keyHash }));
    if (access === null) throw new Refusal('invalid_api_key');
    return access;
  }

  /** The organization that a header names, if the account covers it. @throws Refusal 400, 403 */
  async organizationOf(actions: ActionCaller, key: KeyAccess, header: string | string[] | undefined): Promise<string> {
    if (typeof header !== 'string' || !uuidPattern.test(header)) throw new Refusal('organization_required');
    const organizationId = header.toLowerCase();
    if (organizationId === key.ownOrganizationId) return organizationId;
    const { accountId } = key;
    const access = await this.organizations.ask(`${accountId} ${organizationId}`, () => call(actions, 'accounts.organizationAccess', { accountId, organizationId }));
    if (access !== 'allowed') throw new Refusal('organization_forbidden');
    return organizationId;
  }
}

import { defineCollection } from './collection.ts';
import type { PlanLimits } from './plan.ts';

/** A customer: it has organizations, keys, a plan and one statement a month. */
export interface Account {
  _id: string;
  /** The account's own organization. */
  organizationId: string;
  /** Plan name, null where no plan is applied. */
  plan: string | null;
  /** Features of the plan; absent where no plan is applied and everything is available. */
  features?: string[];
  /** Requests a minute that the plan gives each organization, as they were when it was applied; absent where no plan is. */
  limits?: PlanLimits;
  /** IANA time zone of its days and months. */
  timeZone: string;
  createdAt: number;
}

/** The accounts of the deployment. */
export const accounts = defineCollection<Account>({
  name: 'accounts',
  owner: 'deployment',
  indexes: [{ name: 'organization', fields: ['organizationId'], unique: true }],
});

/** Who did something: a person of the dashboard, a key of the API, or the service and who operates it. */
export interface AuditActor {
  kind: 'user' | 'api_key' | 'plycdn';
  id: string | null;
  label: string | null;
  /** The key's first characters. */
  prefix: string | null;
}

/** What an audited change is: who did what to which resource. `detail` never holds a key or a new value. */
export interface AuditFact {
  accountId: string;
  /** Milliseconds. */
  at: number;
  actor: AuditActor;
  action: AuditAction;
  resourceKind: string;
  resourceId: string;
  detail: { [key: string]: string | number | boolean | null | string[] };
}

/** What the account audit tells of. */
export type AuditAction =
  | 'api_key.created' | 'api_key.rotated' | 'api_key.deactivated' | 'api_key.reactivated'
  | 'sub_organization.created' | 'sub_organization.updated' | 'sub_organization.deactivated' | 'sub_organization.reactivated'
  | 'dashboard.search_as';

/**
 * A document whose changes are audited. The fact is written in the same document write as the change, so that
 * neither is there without the other; it is then carried to the audit under its id and removed here.
 */
export interface Audited {
  pendingAudit?: (AuditFact & { id: string })[];
  /** Id of the latest pending fact; absent when there is none. Each change sets another, so none is overlooked. */
  pendingAuditMark?: string;
}

/** An organization: the account's own (parentId null), or one of its sub-organizations. */
export interface Organization extends Audited {
  _id: string;
  accountId: string;
  parentId: string | null;
  name: string;
  contactEmail: string | null;
  description: string | null;
  isActive: boolean;
  metadata: { [key: string]: string | number | boolean } | null;
  createdAt: number;
  updatedAt: number;
}

/** The organizations of all accounts. */
export const organizations = defineCollection<Organization>({
  name: 'organizations',
  owner: 'deployment',
  indexes: [
    { name: 'account', fields: ['accountId', 'createdAt', '_id'] },
    { name: 'pending_audit', fields: ['pendingAuditMark'], sparse: true },
  ],
});

/** What a key is for: `admin` covers the account's organizations and its audit as well. */
export type KeyScope = 'standard' | 'admin';

/** An API key. The key itself is never kept. */
export interface ApiKey extends Audited {
  _id: string;
  accountId: string;
  /** SHA-256 of the key, lower-case hex. */
  hash: string;
  /** The key's first 12 characters. */
  prefix: string;
  label: string;
  scope: KeyScope;
  isActive: boolean;
  /** Which of the account's two places for active keys it has; absent while inactive. */
  activePlace?: number;
  expiresAt: number | null;
  createdAt: number;
}

/** The keys of all accounts. */
export const apiKeys = defineCollection<ApiKey>({
  name: 'api_keys',
  owner: 'deployment',
  indexes: [
    { name: 'hash', fields: ['hash'], unique: true },
    { name: 'active_place', fields: ['accountId', 'activePlace'], unique: true, sparse: true },
    { name: 'newest', fields: ['createdAt', '_id'] },
    { name: 'pending_audit', fields: ['pendingAuditMark'], sparse: true },
  ],
});

/** A row of the account's audit. Its id is fixed by its cause, so the same change is recorded once. */
export interface AuditRow extends AuditFact {
  _id: string;
  /** Counts the account's rows from 1: the API's `id`. */
  sequence: number;
}

/** The audits of all accounts. */
export const auditRows = defineCollection<AuditRow>({
  name: 'account_audit',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId', 'sequence'], unique: true }],
});

/**
 * The first start of a deployment: one document that decides, whichever process comes first and whenever one
 * dies, which account and keys it has.
 */
export interface FirstStartRecord {
  _id: string;
  accountId: string;
  organizationId: string;
  /** `claimed`: a process is at it; `decided`: these are the keys, perhaps not all written; `done`. */
  state: 'claimed' | 'decided' | 'done';
  /** One higher with each process that takes over. */
  token: number;
  /** Store time in milliseconds until which the claim holds. */
  until: number;
  keys: ApiKey[];
}

/** Holds the one document of the first start. */
export const firstStarts = defineCollection<FirstStartRecord>({ name: 'first_start', owner: 'deployment', indexes: [] });

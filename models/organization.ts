import { defineCollection } from './collection.ts';
import type { User } from './dashboard.ts';
import type { Plan, PlanLimits } from './plan.ts';
import type { QuotaMetric } from './quotas.ts';

/** A customer with organizations, keys, a plan and a monthly statement. */
export interface Account {
  _id: string;
  /** The account's own organization. */
  organizationId: string;
  /** Name of the plan of the current month (see `AccountMonth`); null without a plan. */
  plan: string | null;
  /** Features of the plan; absent without a plan: every feature is available. */
  features?: string[];
  /** The plan's ceilings and rates; absent without a plan. */
  limits?: PlanLimits;
  /** The plan of the next month, as the file had it when it was chosen; absent if the plan stays. */
  nextPlan?: { plan: Plan | null };
  /** The month (YYYY-MM) that plan, features and limits are of; absent until the program has begun one. */
  month?: string;
  /** When that month ends, in milliseconds; 0 to look at it again. */
  monthEndsAt?: number;
  /** IANA time zone of its days and months. */
  timeZone: string;
  /** ISO 4217; absent if none was chosen. */
  currency?: string;
  /** When the service begins and ends, in milliseconds: what was used outside is not charged. */
  serviceStartsAt?: number;
  serviceEndsAt?: number;
  /** Whether work goes on, and is charged, when a quota is reached. */
  payAsYouGo?: boolean;
  /** Quotas of a month, in millionths of the metric's unit; unlimited without one. */
  quotas?: { [M in QuotaMetric]?: number };
  /** Percentages of a quota at which it alerts, ascending; absent: the default ones. */
  alertThresholds?: number[];
  createdAt: number;
}

/** The accounts of the deployment. */
export const accounts = defineCollection<Account>({
  name: 'accounts',
  owner: 'deployment',
  indexes: [
    { name: 'organization', fields: ['organizationId'], unique: true },
    { name: 'month_end', fields: ['monthEndsAt'] },
  ],
});

/** The actor of an audited change: a user of the dashboard, an API key, or the service and its operator. */
export interface AuditActor {
  kind: 'user' | 'api_key' | 'plycdn';
  id: string | null;
  label: string | null;
  /** The key's first characters. */
  prefix: string | null;
}

/** An audited change: the actor, the action and the resource. `detail` never holds a key or a new value. */
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

/** The actions that the account audit records. */
export type AuditAction =
  | 'api_key.created'
  | 'api_key.rotated'
  | 'api_key.deactivated'
  | 'api_key.reactivated'
  | 'sub_organization.created'
  | 'sub_organization.updated'
  | 'sub_organization.deactivated'
  | 'sub_organization.reactivated'
  | 'dashboard.search_as'
  | 'quota.reached'
  | 'account.adjusted'
  | 'organization.updated'
  | 'person.invited'
  | 'person.joined'
  | 'person.role_changed'
  | 'person.deactivated'
  | 'person.reactivated'
  | 'invitation.revoked'
  | 'session.started'
  | 'session.ended'
  | 'password.changed'
  | 'password.reset'
  | 'second_factor.enabled'
  | 'second_factor.disabled'
  | 'second_factor.refused'
  | 'recovery_codes.replaced'
  | 'recovery_code.used';

/**
 * A document whose changes are audited. A fact is written in the same document write as its change, so that neither
 * exists without the other. It is then moved to the audit under its id.
 */
export interface Audited {
  pendingAudit?: (AuditFact & { id: string })[];
  /** Id of the latest pending fact; absent without one. Each change sets a new id, so that no fact is missed. */
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

/** The scope of a key: `admin` includes the account's organizations and audit. */
export type KeyScope = 'standard' | 'admin';

/** An API key. The secret is never stored. */
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
  /** Its slot of the account's two active keys; absent while inactive. */
  activePlace?: number;
  expiresAt: number | null;
  createdAt: number;
  /** SHA-256 of the secret before a rotation with an overlap, and until when it is accepted as well. */
  formerHash?: string;
  formerUntil?: number;
}

/** The keys of all accounts. */
export const apiKeys = defineCollection<ApiKey>({
  name: 'api_keys',
  owner: 'deployment',
  indexes: [
    { name: 'hash', fields: ['hash'], unique: true },
    { name: 'active_place', fields: ['accountId', 'activePlace'], unique: true, sparse: true },
    { name: 'newest', fields: ['createdAt', '_id'] },
    { name: 'account', fields: ['accountId', 'createdAt', '_id'] },
    { name: 'former_hash', fields: ['formerHash'], sparse: true },
    { name: 'pending_audit', fields: ['pendingAuditMark'], sparse: true },
  ],
});

/** A row of the account's audit. Its id derives from its cause, so the same change is recorded once. */
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
 * The first start of a deployment. This single document decides on the account and its keys when several processes
 * start concurrently or die.
 */
export interface FirstStartRecord {
  _id: string;
  accountId: string;
  organizationId: string;
  /** `claimed`: a process works on it; `decided`: the keys are fixed, but perhaps not all stored; `done`. */
  state: 'claimed' | 'decided' | 'done';
  /** Incremented by each process that takes over. */
  token: number;
  /** Store time in milliseconds until which the claim holds. */
  until: number;
  keys: ApiKey[];
  /** The first user of the dashboard, until it is stored. */
  user?: User;
}

/** Holds the single document of the first start. */
export const firstStarts = defineCollection<FirstStartRecord>({
  name: 'first_start',
  owner: 'deployment',
  indexes: [],
});

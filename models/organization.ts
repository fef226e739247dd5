import { defineCollection } from './collection.ts';

/** A customer: it has organizations, keys, a plan and one statement a month. */
export interface Account {
  _id: string;
  /** The account's own organization. */
  organizationId: string;
  /** Plan name, null where no plan is applied. */
  plan: string | null;
  /** IANA time zone of its days and months. */
  timeZone: string;
  createdAt: number;
}

export const accounts = defineCollection<Account>({
  name: 'accounts',
  owner: 'deployment',
  indexes: [{ name: 'organization', fields: ['organizationId'], unique: true }],
});

/** An organization: the account's own (parentId null), or one of its sub-organizations. */
export interface Organization {
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

export const organizations = defineCollection<Organization>({
  name: 'organizations',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId', 'createdAt', '_id'] }],
});

export type KeyScope = 'standard' | 'admin';

/** An API key. The key itself is never kept. */
export interface ApiKey {
  _id: string;
  accountId: string;
  /** SHA-256 of the key, lower-case hex. */
  hash: string;
  /** The key's first 12 characters. */
  prefix: string;
  label: string;
  scope: KeyScope;
  isActive: boolean;
  expiresAt: number | null;
  createdAt: number;
}

export const apiKeys = defineCollection<ApiKey>({
  name: 'api_keys',
  owner: 'deployment',
  indexes: [
    { name: 'hash', fields: ['hash'], unique: true },
    { name: 'account', fields: ['accountId', 'createdAt'] },
  ],
});

/** A row of the account's audit. */
export interface AuditRow {
  /** Digits, ascending with time. */
  _id: string;
  accountId: string;
  sequence: number;
  at: number;
  actor: { kind: 'user' | 'api_key' | 'plycdn'; id: string | null; label: string | null; prefix: string | null };
  action: string;
  resourceKind: string;
  resourceId: string;
  detail: { [key: string]: string | number | boolean | null | string[] };
}

export const auditRows = defineCollection<AuditRow>({
  name: 'account_audit',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId', 'sequence'], unique: true }],
});

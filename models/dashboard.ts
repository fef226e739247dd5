import { defineCollection } from './collection.ts';

/** A person who signs in to the dashboard: an owner of an account. */
export interface User {
  _id: string;
  accountId: string;
  /** As it was given. */
  email: string;
  /** In lower case: an address belongs to one user. */
  emailKey: string;
  /** The form is that of services/accounts/dashboard/passwords.ts. */
  passwordHash: string;
  createdAt: number;
  updatedAt: number;
}

/** The users of all accounts. */
export const users = defineCollection<User>({
  name: 'users',
  owner: 'deployment',
  indexes: [
    { name: 'email', fields: ['emailKey'], unique: true },
    { name: 'account', fields: ['accountId', 'createdAt', '_id'] },
  ],
});

/** A session of a user in the dashboard. Its token is never stored. */
export interface DashboardSession {
  /** SHA-256 of the token, lower-case hex. */
  _id: string;
  userId: string;
  accountId: string;
  createdAt: number;
  expiresAt: number;
}

/** The sessions of all users. */
export const dashboardSessions = defineCollection<DashboardSession>({
  name: 'dashboard_sessions',
  owner: 'deployment',
  indexes: [
    { name: 'user', fields: ['userId'] },
    { name: 'account', fields: ['accountId'] },
    { name: 'expiry', fields: ['expiresAt'] },
  ],
});

/** The failed attempts to sign in with an e-mail address, whether or not somebody has it. */
export interface LoginFailures {
  /** SHA-256 of the address in lower case, lower-case hex. */
  _id: string;
  /** Attempts that failed or are being made, oldest first. */
  failures: { id: string; at: number }[];
  /** When the last of them no longer counts. */
  until: number;
  version: number;
}

/** The failed attempts with all addresses, until they no longer count. */
export const loginFailures = defineCollection<LoginFailures>({
  name: 'login_failures',
  owner: 'deployment',
  indexes: [{ name: 'until', fields: ['until'] }],
});

/** Milliseconds that a session lasts. */
export const sessionMs = 12 * 3_600_000;

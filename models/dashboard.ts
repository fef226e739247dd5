import { defineCollection } from './collection.ts';
import type { Audited } from './organization.ts';
import { derivedUuid } from './runtime.ts';

/** A person who signs in to the dashboard. What they may do is in `AccountPeople`. */
export interface User extends Audited {
  _id: string;
  accountId: string;
  /** As it was given. */
  email: string;
  /** In lower case: an address belongs to one user. */
  emailKey: string;
  /** The form is that of services/accounts/dashboard/passwords.ts. */
  passwordHash: string;
  /** Raised by what ends the sessions: those of another number are over. Absent before the first time. */
  generation?: number;
  /** The session that began before the last raise and goes on: that in which the password was changed. */
  keptSession?: string;
  /** The sealed secret of the second factor; absent without one. */
  sealedTotp?: string;
  /** The last time step whose code was accepted: no code is accepted twice. */
  totpStep?: number;
  /** The sealed secret of a second factor that was not confirmed yet. */
  sealedNewTotp?: string;
  /** SHA-256 (lower-case hex) of each recovery code that was not used yet. */
  recoveryCodes?: { id: string }[];
  /** Changes with them. */
  recoveryMark?: string;
  createdAt: number;
  updatedAt: number;
}

/** What a secret of the second factor is sealed for. */
export function totpContext(userId: string): string {
  return `user:${userId}:totp`;
}

/** The users of all accounts. */
export const users = defineCollection<User>({
  name: 'users',
  owner: 'deployment',
  indexes: [
    { name: 'email', fields: ['emailKey'], unique: true },
    { name: 'account', fields: ['accountId', 'createdAt', '_id'] },
    { name: 'pending_audit', fields: ['pendingAuditMark'], sparse: true },
  ],
});

/** A session of a user in the dashboard. Its token is never stored. */
export interface DashboardSession {
  /** SHA-256 of the token, lower-case hex. */
  _id: string;
  userId: string;
  accountId: string;
  /** That of its user when it began; absent: 0. */
  generation?: number;
  /** Address and program (`User-Agent`) of the client that signed in. */
  ip?: string | null;
  userAgent?: string | null;
  createdAt: number;
  expiresAt: number;
}

/** The public name of a session. */
export function sessionIdOf({ _id }: Pick<DashboardSession, '_id'>): string {
  return derivedUuid(`session ${_id}`);
}

/** Whether a session of this user goes on at a time in milliseconds. */
export function isCurrentSession(session: DashboardSession, user: User, now: number): boolean {
  const { generation = 0, keptSession } = user;
  return session.expiresAt > now && ((session.generation ?? 0) === generation || session._id === keptSession);
}

/** The sessions of all users. */
export const dashboardSessions = defineCollection<DashboardSession>({
  name: 'dashboard_sessions',
  owner: 'deployment',
  indexes: [
    { name: 'user', fields: ['userId'] },
    { name: 'user_newest', fields: ['userId', 'createdAt', '_id'] },
    { name: 'account', fields: ['accountId'] },
    { name: 'expiry', fields: ['expiresAt'] },
  ],
});

/**
 * The failed attempts to sign in with an e-mail address, whether or not somebody has it; or the wrong codes of a user's
 * second factor.
 */
export interface LoginFailures {
  /** SHA-256 of the address in lower case, lower-case hex; or `code:` and the user's id. */
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

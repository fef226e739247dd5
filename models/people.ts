import { defineCollection } from './collection.ts';
import type { User } from './dashboard.ts';
import type { Audited } from './organization.ts';

/**
 * What a person of an account may do, least first; each includes those before it: read the content; change it, as a
 * standard key may; what an admin key may, and manage keys and people of no more rights; everything.
 */
export const roles = ['reader', 'editor', 'admin', 'owner'] as const;

/** The rights of a person. */
export type Role = (typeof roles)[number];

/** Whether a role includes another. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** How a user stands to their account. */
export interface Person {
  /** Id of the user. */
  id: string;
  role: Role;
  /** Whether they may sign in. */
  isActive: boolean;
}

/** An invitation that was not accepted yet. */
export interface Invitation {
  id: string;
  /** SHA-256 of the secret of its link, lower-case hex. */
  secretHash: string;
  email: string;
  role: Role;
  /** The user who invited. */
  invitedBy: string;
  /** Milliseconds. */
  createdAt: number;
  expiresAt: number;
}

/**
 * The people of an account, in one document: who may do what changes in one write, so that an account always keeps an
 * active owner and an invitation is accepted once.
 */
export interface AccountPeople extends Audited {
  /** Id of the account. */
  _id: string;
  people: Person[];
  invitations: Invitation[];
  /** Users who have accepted and are still to be stored. */
  joining?: User[];
  /** Present while there are such users. */
  joiningMark?: string;
  /** Raised by each write. */
  version: number;
}

/** The people of all accounts. */
export const accountPeople = defineCollection<AccountPeople>({
  name: 'account_people',
  owner: 'deployment',
  indexes: [
    { name: 'joining', fields: ['joiningMark'], sparse: true },
    { name: 'pending_audit', fields: ['pendingAuditMark'], sparse: true },
  ],
});

/** People of an account at most, active or not. */
export const maxPeople = 200;
/** Invitations of an account that wait at most. */
export const maxInvitations = 100;
/** Milliseconds in which an invitation can be accepted. */
export const invitationMs = 7 * 86_400_000;

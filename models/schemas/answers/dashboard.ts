import { roles, type Role } from '../../people.ts';
import { answer, boolean, count, described, id, listOf, orNull, text, texts, time } from './answer.ts';

/** What a person may do. */
const role = described<Role>({ type: 'string', enum: [...roles] });

/** A session of the dashboard. */
export const sessionAnswer = answer('DashboardSession', {
  userId: id,
  email: text,
  organizationId: id,
  expiresAt: time,
});

/** The session of a cookie. */
export const currentSessionAnswer = answer('CurrentDashboardSession', {
  userId: id,
  email: text,
  organizationId: id,
  expiresAt: time,
  role,
  timeZone: text,
});

/** The user of a session. */
export const profileAnswer = answer('Profile', {
  userId: id,
  email: text,
  role,
  organizationId: id,
  organizationName: text,
  timeZone: text,
  secondFactor: boolean,
  recoveryCodesLeft: count,
  createdAt: time,
});

const sessionItem = answer('DashboardSessionItem', {
  id,
  isCurrent: boolean,
  ip: orNull(text),
  userAgent: orNull(text),
  createdAt: time,
  expiresAt: time,
});

/** The sessions of a user. */
export const sessionsAnswer = answer('DashboardSessions', { items: listOf(sessionItem) });

/** A second factor that is to be confirmed. */
export const newSecondFactorAnswer = answer('NewSecondFactor', { secret: text, address: text });

/** Recovery codes, which are shown once. */
export const recoveryCodesAnswer = answer('RecoveryCodes', { recoveryCodes: texts });

/** A person of an account. */
export const personAnswer = answer('Person', {
  userId: id,
  email: text,
  role,
  isActive: boolean,
  secondFactor: boolean,
  createdAt: time,
});

/** The people of an account. */
export const peopleAnswer = answer('People', { items: listOf(personAnswer) });

const invitation = { id, email: text, role, invitedBy: id, createdAt: time, expiresAt: time };

/** An invitation. */
export const invitationAnswer = answer('Invitation', invitation);

/** An invitation with the token of its link, which is shown once. */
export const newInvitationAnswer = answer('NewInvitation', { ...invitation, token: text });

/** The invitations of an account. */
export const invitationsAnswer = answer('Invitations', { items: listOf(invitationAnswer) });

/** What the holder of an invitation's link sees. */
export const openInvitationAnswer = answer('OpenInvitation', {
  email: text,
  role,
  organization: text,
  expiresAt: time,
});

import { roles, type Role } from '../../people.ts';
import {
  annotated,
  answer,
  boolean,
  count,
  described,
  id,
  listOf,
  literals,
  orNull,
  text,
  texts,
  time,
} from './answer.ts';

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
  /** Where edges without TLS deliver files; null where links work as they are. */
  plainDelivery: annotated(orNull(answer('PlainDelivery', { domain: text, port: count })), {
    description:
      'Links to hostnames under `domain` are read over HTTP at `port`: this deployment has no TLS. Null where they work as they are.',
  }),
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

const apiKey = {
  id,
  prefix: text,
  label: text,
  scope: literals('standard', 'admin'),
  isActive: boolean,
  expiresAt: orNull(time),
  /** Until when the secret before a rotation is accepted as well. */
  formerUntil: orNull(time),
  createdAt: time,
};

/** An API key. */
export const apiKeyAnswer = answer('ApiKey', apiKey);

/** An API key with its secret, which is shown once. */
export const newApiKeyAnswer = answer('NewApiKey', { ...apiKey, key: text });

/** The API keys of an account. */
export const apiKeysAnswer = answer('ApiKeys', { items: listOf(apiKeyAnswer) });

/** The account's own organization. */
export const organizationAnswer = answer('OrganizationProfile', {
  id,
  name: text,
  contactEmail: orNull(text),
  description: orNull(text),
  timeZone: text,
  currency: orNull(text),
  plan: orNull(text),
  createdAt: time,
  updatedAt: time,
});

import { roles } from '../people.ts';
import { nullable, object, optional, required, withDefault } from './schema.ts';
import { addressForm } from './organizations.ts';
import { boolean, dateTime, integer, oneOf, text } from './values.ts';

/** Longest e-mail address (RFC 5321, 4.5.3.1: local part and domain). */
export const maxEmail = 320;

const maxPassword = 1000;
const password = required(text(1, maxPassword));
/** Of a second factor, or a recovery code. */
const code = text(1, 50);
const newPassword = required(text(12, maxPassword));
const role = oneOf(...roles);
const token = required(text(1, 200));

/** Body of POST /api/dashboard/session. */
export const credentials = object({ email: required(text(1, maxEmail)), password, code: optional(code) });

/** Body of a change of one's own password. */
export const passwordChange = object({ password, newPassword });

/** Body of what needs the password again. */
export const passwordProof = object({ password });

/** Body of what needs password and second factor again. */
export const bothProofs = object({ password, code: required(code) });

/** Body of the confirmation of a second factor. */
export const codeProof = object({ code: required(code) });

/** Body of POST /api/dashboard/invitations. */
export const newInvitation = object({ email: required(text(3, maxEmail, addressForm)), role: required(role) });

/** Body of PATCH /api/dashboard/people/{userId}. */
export const personChange = object({ role: optional(role), isActive: optional(boolean) });

/** Body of POST /api/dashboard/invitation. */
export const invitationToken = object({ token });

/** Body of POST /api/dashboard/invitation/acceptance. */
export const acceptance = object({ token, password: newPassword });

/** Longest time for which the secret of before is accepted after a rotation: 30 days, in seconds. */
const longestOverlap = 30 * 86_400;

/** Body of POST /api/dashboard/api-keys. */
export const newApiKey = object({
  label: required(text(1, 200)),
  scope: required(oneOf('standard', 'admin')),
  expiresAt: withDefault(nullable(dateTime), null),
});

/** Body of the rotation of a key. An expiry that is left out stays. */
export const rotation = object({
  expiresAt: optional(nullable(dateTime)),
  overlapSeconds: withDefault(integer(0, longestOverlap), 0),
});

/** Body of PATCH /api/dashboard/organization. */
export const organizationChange = object({
  name: optional(text(1, 255)),
  contactEmail: optional(nullable(text(3, maxEmail, { ...addressForm, expected: `${addressForm.expected} or null` }))),
  description: optional(nullable(text(0, 2000))),
});

import { roles } from '../people.ts';
import { object, optional, required } from './schema.ts';
import { addressForm } from './organizations.ts';
import { boolean, oneOf, text } from './values.ts';

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

import { object, required } from './schema.ts';
import { text } from './values.ts';

/** Longest e-mail address (RFC 5321, 4.5.3.1: local part and domain). */
export const maxEmail = 320;

/** Body of POST /api/dashboard/session. */
export const credentials = object({ email: required(text(1, maxEmail)), password: required(text(1, 1000)) });

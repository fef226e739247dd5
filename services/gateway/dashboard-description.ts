import type { ErrorCode } from '../../models/errors.ts';
import type { JsonObject } from '../../models/json.ts';
import { currentSessionAnswer, openInvitationAnswer, sessionAnswer } from '../../models/schemas/answers/dashboard.ts';
import { acceptance, credentials, invitationToken } from '../../models/schemas/dashboard.ts';
import type { Described } from '../../models/schemas/schema.ts';
import { acceptancePath, invitationPath, sessionPath } from './dashboard-session.ts';
import { refusals } from './notification-description.ts';

const common: readonly ErrorCode[] = [
  'api_key_required',
  'origin_not_allowed',
  'rate_limited',
  'internal_error',
  'content_service_unavailable',
];
const cookie = { 'Set-Cookie': { description: 'The cookie `ply_session`.', schema: { type: 'string' } } };

const ofBodies: readonly ErrorCode[] = ['validation_error', 'payload_too_large', 'unsupported_media_type'];

/** An operation that begins without a key. */
function entry(
  words: { operationId: string; summary: string; description?: string },
  takes: Described<unknown> | null,
  [status, answer, headers]: [status: number, answer: Described<unknown> | null, headers?: JsonObject],
  codes: readonly ErrorCode[],
): JsonObject {
  return {
    ...words,
    tags: ['Dashboard'],
    security: [],
    ...(takes === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: takes.json } } } }),
    responses: {
      [String(status)]: {
        description: 'Done.',
        ...(headers === undefined ? {} : { headers }),
        ...(answer === null ? {} : { content: { 'application/json': { schema: answer.json } } }),
      },
      ...Object.fromEntries(refusals([...common, ...(takes === null ? [] : ofBodies), ...codes])),
    },
  };
}

/** What the dashboard asks before there is a session, in the API description. These are no rows of the table. */
export const sessionPaths: { [path: string]: JsonObject } = {
  [sessionPath]: {
    get: entry(
      { operationId: 'readDashboardSession', summary: 'Reads the session of the cookie.' },
      null,
      [200, currentSessionAnswer],
      [],
    ),
    post: entry(
      {
        operationId: 'startDashboardSession',
        summary: 'Starts a session of the dashboard, which lasts 12 hours.',
        description:
          "Operations take the cookie in place of a key, with the rights of the user's role: an owner or admin has those of an admin key. With methods other than GET and HEAD they then need the API's own `Origin`. `code` is that of the second factor, or a recovery code.",
      },
      credentials,
      [200, sessionAnswer, cookie],
      ['invalid_credentials', 'second_factor_required', 'invalid_second_factor'],
    ),
    delete: entry(
      { operationId: 'endDashboardSession', summary: 'Ends the session of the cookie, if there is one.' },
      null,
      [204, null, cookie],
      [],
    ),
  },
  [invitationPath]: {
    post: entry(
      { operationId: 'readInvitation', summary: 'Reads what the holder of an invitation is invited to.' },
      invitationToken,
      [200, openInvitationAnswer],
      ['invitation_not_found'],
    ),
  },
  [acceptancePath]: {
    post: entry(
      {
        operationId: 'acceptInvitation',
        summary: 'Accepts an invitation with a password of at least 12 characters, and starts a session.',
      },
      acceptance,
      [201, sessionAnswer, cookie],
      ['invitation_not_found', 'email_address_taken', 'people_limit_reached'],
    ),
  },
};

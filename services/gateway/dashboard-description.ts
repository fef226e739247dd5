import type { ErrorCode } from '../../models/errors.ts';
import type { JsonObject } from '../../models/json.ts';
import { sessionAnswer } from '../../models/schemas/answers/dashboard.ts';
import { credentials } from '../../models/schemas/dashboard.ts';
import { sessionPath } from './dashboard-session.ts';
import { refusals } from './notification-description.ts';

const common: readonly ErrorCode[] = [
  'api_key_required',
  'origin_not_allowed',
  'rate_limited',
  'internal_error',
  'content_service_unavailable',
];
const cookie = { 'Set-Cookie': { description: 'The cookie `ply_session`.', schema: { type: 'string' } } };

/** The session of the dashboard in the API description. It is no row of the table: it begins without a key. */
export const sessionPaths: { [path: string]: JsonObject } = {
  [sessionPath]: {
    post: {
      operationId: 'startDashboardSession',
      tags: ['Dashboard'],
      summary: 'Starts a session of the dashboard, which lasts 12 hours.',
      description:
        "Operations take the cookie in place of a key, with an admin key's rights. With methods other than GET and HEAD they then need the API's own `Origin`.",
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: credentials.json } } },
      responses: {
        '200': {
          description: 'The session.',
          headers: cookie,
          content: { 'application/json': { schema: sessionAnswer.json } },
        },
        ...Object.fromEntries(
          refusals([
            ...common,
            'invalid_credentials',
            'validation_error',
            'payload_too_large',
            'unsupported_media_type',
          ]),
        ),
      },
    },
    delete: {
      operationId: 'endDashboardSession',
      tags: ['Dashboard'],
      summary: 'Ends the session of the cookie, if there is one.',
      security: [],
      responses: { '204': { description: 'It is over.', headers: cookie }, ...Object.fromEntries(refusals(common)) },
    },
  },
};

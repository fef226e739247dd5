import { notificationsPath } from '../../models/connector.ts';
import { errorCodes, type ErrorCode } from '../../models/errors.ts';
import type { Json, JsonObject } from '../../models/json.ts';
import { refusal } from './openapi.ts';

const token: JsonObject = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'The last part of a `notifyUrl`.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
};
const common: readonly ErrorCode[] = [
  'api_key_required',
  'invalid_callback',
  'not_found',
  'rate_limited',
  'validation_error',
  'internal_error',
  'content_service_unavailable',
];

/** Responses of an operation that is no row of the table, by status. */
export function refusals(codes: readonly ErrorCode[]): [string, Json][] {
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))].sort((one, other) => one - other);
  return statuses.map((status) => [
    String(status),
    refusal(codes.filter((code) => errorCodes[code].status === status)),
  ]);
}

/**
 * The addresses of storage events in the API description. They are not rows of the table, because their senders have
 * neither key nor organization.
 */
export const notificationPaths: { [path: string]: JsonObject } = {
  [`${notificationsPath}/{token}`]: {
    post: {
      operationId: 'notifyConnector',
      tags: ['Connectors'],
      summary: "Takes a storage event: the connector's source has changed, and is synced.",
      description:
        'No key: the address is the credential. The body, up to 256 KB and not compressed, is ignored, unless `aeg-event-type` is `SubscriptionValidation`. A sender address may send 600 a minute.',
      security: [],
      parameters: [
        token,
        {
          name: 'aeg-event-type',
          in: 'header',
          required: false,
          description: 'Of Event Grid: `SubscriptionValidation` for its handshake.',
          schema: { type: 'string' },
        },
      ],
      requestBody: {
        required: false,
        content: { 'application/json': { schema: {} }, 'application/cloudevents+json': { schema: {} } },
      },
      responses: {
        '200': {
          description: "The answer to Event Grid's handshake.",
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { validationResponse: { type: 'string' } },
                required: ['validationResponse'],
              },
            },
          },
        },
        '202': {
          description: 'Taken; repeated events give one sync.',
          content: {
            'application/json': {
              schema: { type: 'object', properties: { accepted: { const: true } }, required: ['accepted'] },
            },
          },
        },
        ...Object.fromEntries(refusals([...common, 'payload_too_large', 'unsupported_media_type'])),
      },
    },
    options: {
      operationId: 'consentToNotifications',
      tags: ['Connectors'],
      summary: 'Answers the handshake of CloudEvents 1.0: who asks may send.',
      description: 'No key: the address is the credential.',
      security: [],
      parameters: [
        token,
        {
          name: 'WebHook-Request-Origin',
          in: 'header',
          required: true,
          description: 'Who will send.',
          schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 253 },
        },
      ],
      responses: {
        '200': {
          description: 'It may send.',
          headers: {
            Allow: { schema: { const: 'POST' } },
            'WebHook-Allowed-Origin': { schema: { type: 'string' } },
            'WebHook-Allowed-Rate': { description: 'Notifications a minute.', schema: { const: '600' } },
          },
        },
        ...Object.fromEntries(refusals(common)),
      },
    },
  },
};

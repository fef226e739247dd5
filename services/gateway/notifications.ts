import { call, patience } from '../../mixins/actions.ts';
import { hasBody, isPlain, parseJson, readBody, refuseLargeBody } from '../../mixins/http/body.ts';
import { readPast } from '../../mixins/http/unread-body.ts';
import { notificationsPath } from '../../models/connector.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { isObject } from '../../models/schemas/schema.ts';
import { send, type Exchange, type Reply } from './exchange.ts';
import { refuseKeyInQuery, type Gateway } from './pipeline.ts';

/** Notifications that one sender may send in a minute. */
export const mostAMinute = 600;
/** Largest body of a notification, in bytes. */
export const mostNotificationBytes = 256 * 1024;

const minute = 60_000;
const prefix = `${notificationsPath}/`;
const shape = /^[A-Za-z0-9_-]{43}$/;
const methods = ['POST', 'OPTIONS'];
/** Values in the body of a handshake at most; it has ten or so. */
const mostValues = 1000;

/** Whether a path stands where storage events come in. */
export function isNotification({ path }: Pick<Exchange, 'path'>): boolean {
  return path.startsWith(prefix);
}

/**
 * Answers what comes in at a notification address: a storage event, or the handshake of an event service that asks whether
 * the address wants its events. There is neither key nor organization: the address is the credential.
 * @throws Refusal, or what the action throws
 */
export async function serveNotification(gateway: Gateway, exchange: Exchange, senderOf: (request: Exchange['request']) => string): Promise<void> {
  const { request, path } = exchange;
  refuseKeyInQuery(exchange);
  const allowance = await gateway.house.counters.take(`notifications:${senderOf(request)}`, mostAMinute, minute);
  exchange.allowance = allowance;
  if (!allowance.allowed) throw new Refusal('rate_limited', { retryable: true, retryAfter: Math.max(1, Math.ceil(allowance.resetMs / 1000)) });
  const token = path.slice(prefix.length);
  if (!shape.test(token)) throw new Refusal('not_found');
  if (!methods.includes(request.method ?? '')) throw new Refusal('method_not_allowed', { allow: methods });
  send(exchange, gateway.sender, request.method === 'OPTIONS' ? await consent(gateway, exchange, token) : await take(gateway, exchange, token));
}

async function tell({ actions }: Gateway, token: string, isHandshake: boolean): Promise<void> {
  await call(actions, 'connectors.notify', { token, isHandshake }, { timeout: patience });
}

/** A storage event, or Event Grid's own handshake. */
async function take(gateway: Gateway, exchange: Exchange, token: string): Promise<Reply> {
  const { request, response } = exchange;
  refuseLargeBody(request, mostNotificationBytes);
  if (!isPlain(request)) throw new Refusal('unsupported_media_type', { detail: 'The body must not be compressed.' });
  const kind = request.headers['aeg-event-type'];
  if (typeof kind === 'string' && kind.toLowerCase() === 'subscriptionvalidation') {
    const bytes = await readBody(request, response, { mostBytes: mostNotificationBytes, mostValues, budget: gateway.bodies });
    try {
      const validationResponse = validationCode(parseJson(bytes));
      await tell(gateway, token, true);
      return { status: 200, body: JSON.stringify({ validationResponse }) };
    } finally {
      gateway.bodies.release(bytes.length);
    }
  }
  if (hasBody(request)) await readPast(request, response, mostNotificationBytes);
  await tell(gateway, token, false);
  return { status: 202, body: '{"accepted":true}' };
}

/**
 * The code that Event Grid wants to have answered: its event stands alone in a list. Its `validationUrl` is never asked.
 * https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema
 * @throws Refusal `validation_error`
 */
function validationCode(body: unknown): string {
  const event: unknown = Array.isArray(body) && body.length === 1 ? body[0] : null;
  if (!isObject(event) || event['eventType'] !== 'Microsoft.EventGrid.SubscriptionValidationEvent') throw invalid(['body'], 'A subscription is validated with a list of one SubscriptionValidationEvent.');
  const code = isObject(event['data']) ? event['data']['validationCode'] : null;
  if (typeof code !== 'string' || code === '' || code.length > 1024) throw invalid(['body', 0, 'data', 'validationCode'], 'The event has no validation code.');
  return code;
}

/**
 * The handshake of CloudEvents: a sender asks whether it may send, and at which rate. A status alone would be no consent.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/http-webhook.md, 4
 * @throws Refusal `validation_error`, `invalid_callback`
 */
async function consent(gateway: Gateway, exchange: Exchange, token: string): Promise<Reply> {
  const origin = exchange.request.headers['webhook-request-origin'];
  if (typeof origin !== 'string' || !/^[\x21-\x7e]{1,253}$/.test(origin)) throw invalid(['header', 'WebHook-Request-Origin'], 'WebHook-Request-Origin must name who will send.');
  await tell(gateway, token, true);
  return { status: 200, body: '', headers: { Allow: 'POST', 'WebHook-Allowed-Origin': origin, 'WebHook-Allowed-Rate': mostAMinute } };
}

import { call } from '../../mixins/actions/call.ts';
import { discardBody, hasBody, isPlain, parseJson, readBody, refuseLargeBody } from '../../mixins/http/body.ts';
import { notificationsPath } from '../../models/connector.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { isObject } from '../../models/schemas/schema.ts';
import { send, type Exchange, type Reply } from '../../mixins/http/api/exchange.ts';
import { refuseKeyInQuery, takeFrom } from '../../mixins/http/api/admission.ts';
import type { Api } from '../../mixins/http/api/api.ts';

/** Notifications that one sender may send in a minute. */
export const maxPerMinute = 600;
/** Largest body of a notification, in bytes. */
export const maxNotificationBytes = 256 * 1024;

const pathPrefix = `${notificationsPath}/`;
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;
const methods = ['POST', 'OPTIONS'];
/** Values in the body of a handshake at most; it has about ten. */
const maxValues = 1000;

/** Whether a path is the address of a connector's notifications. */
export function isNotification({ path }: Pick<Exchange, 'path'>): boolean {
  return path.startsWith(pathPrefix);
}

/**
 * Serves a notification address: storage events, and the handshakes in which event services ask for consent. There is
 * neither key nor organization: the address is the credential.
 * @throws Refusal, or what the action throws
 */
export async function serveNotification(
  api: Api,
  exchange: Exchange,
  senderOf: (request: Exchange['request']) => string,
): Promise<void> {
  const { request, path } = exchange;
  refuseKeyInQuery(exchange);
  await takeFrom(api.app, exchange, `notifications:${senderOf(request)}`, maxPerMinute);
  const token = path.slice(pathPrefix.length);
  if (!tokenPattern.test(token)) throw new Refusal('not_found');
  if (!methods.includes(request.method ?? '')) throw new Refusal('method_not_allowed', { allow: methods });
  send(
    exchange,
    api.sender,
    request.method === 'OPTIONS' ? await consent(api, exchange, token) : await take(api, exchange, token),
  );
}

async function notify({ actions }: Api, token: string, isHandshake: boolean): Promise<void> {
  await call(actions, 'connectors.notify', { token, isHandshake });
}

/** A storage event, or Event Grid's own handshake. */
async function take(api: Api, exchange: Exchange, token: string): Promise<Reply> {
  const { request, response } = exchange;
  refuseLargeBody(request, maxNotificationBytes);
  if (!isPlain(request)) throw new Refusal('unsupported_media_type', { detail: 'The body must not be compressed.' });
  const kind = request.headers['aeg-event-type'];
  if (typeof kind === 'string' && kind.toLowerCase() === 'subscriptionvalidation') {
    const bytes = await readBody(request, response, {
      maxBytes: maxNotificationBytes,
      maxValues,
      budget: api.bodies,
    });
    try {
      const validationResponse = validationCode(parseJson(bytes));
      await notify(api, token, true);
      return { status: 200, body: JSON.stringify({ validationResponse }) };
    } finally {
      api.bodies.release(bytes.length);
    }
  }
  if (hasBody(request)) await discardBody(request, response, maxNotificationBytes);
  await notify(api, token, false);
  return { status: 202, body: '{"accepted":true}' };
}

/**
 * The code that Event Grid expects in the response: its event is the only one of a list. `validationUrl` is never
 * requested. https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema
 * @throws Refusal `validation_error`
 */
function validationCode(body: unknown): string {
  const event: unknown = Array.isArray(body) && body.length === 1 ? body[0] : null;
  if (!isObject(event) || event['eventType'] !== 'Microsoft.EventGrid.SubscriptionValidationEvent')
    throw invalid(['body'], 'A subscription is validated with a list of one SubscriptionValidationEvent.');
  const code = isObject(event['data']) ? event['data']['validationCode'] : null;
  if (typeof code !== 'string' || code === '' || code.length > 1024)
    throw invalid(['body', 0, 'data', 'validationCode'], 'The event has no validation code.');
  return code;
}

/**
 * The handshake of CloudEvents: a sender asks whether it may send, and at which rate. A status alone is no consent.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/http-webhook.md, 4
 * @throws Refusal `validation_error`, `invalid_callback`
 */
async function consent(api: Api, exchange: Exchange, token: string): Promise<Reply> {
  const origin = exchange.request.headers['webhook-request-origin'];
  if (typeof origin !== 'string' || !/^[\x21-\x7e]{1,253}$/.test(origin))
    throw invalid(['header', 'WebHook-Request-Origin'], 'WebHook-Request-Origin must name who will send.');
  await notify(api, token, true);
  return {
    status: 200,
    body: '',
    headers: { Allow: 'POST', 'WebHook-Allowed-Origin': origin, 'WebHook-Allowed-Rate': maxPerMinute },
  };
}

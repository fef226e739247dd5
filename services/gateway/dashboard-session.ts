import { call } from '../../mixins/actions/call.ts';
import { refuseKeyInQuery, takeFrom } from '../../mixins/http/api/admission.ts';
import type { Api } from '../../mixins/http/api/api.ts';
import { send, type Exchange, type Reply } from '../../mixins/http/api/exchange.ts';
import { sentence } from '../../mixins/http/api/route.ts';
import { requireOwnOrigin, sessionCookie, sessionHashOf } from '../../mixins/http/api/session-cookie.ts';
import { isJson, isPlain, parseJson, readBody, refuseLargeBody } from '../../mixins/http/body.ts';
import { Refusal } from '../../models/errors.ts';
import { credentials } from '../../models/schemas/dashboard.ts';
import { within } from '../../models/schemas/faults.ts';
import { apiRoot } from './routes/paths.ts';

/** Where a session of the dashboard is started and ended. */
export const sessionPath = `${apiRoot}/dashboard/session`;

const methods = ['POST', 'DELETE'];
const maxBytes = 16 * 1024;
const maxValues = 100;
/** Requests that one address may send here in a minute. */
const maxPerMinute = 120;

/**
 * Starts or ends a session of the dashboard. There is neither key nor organization yet.
 * @throws Refusal, or what the action throws
 */
export async function serveDashboardSession(
  api: Api,
  exchange: Exchange,
  senderOf: (request: Exchange['request']) => string,
): Promise<void> {
  const { request } = exchange;
  refuseKeyInQuery(exchange);
  await takeFrom(api.app, exchange, `dashboard_session:${senderOf(request)}`, maxPerMinute);
  if (!methods.includes(request.method ?? '')) throw new Refusal('method_not_allowed', { allow: methods });
  send(exchange, api.sender, request.method === 'POST' ? await start(api, exchange) : await end(api, exchange));
}

async function start(api: Api, exchange: Exchange): Promise<Reply> {
  const { configuration } = api.app;
  // Programs send no Origin; a browser does, and another site must not sign somebody in.
  if (exchange.request.headers.origin !== undefined) requireOwnOrigin(configuration, exchange.request);
  const { email, password } = await credentialsOf(api, exchange);
  const { token, view } = await call(api.actions, 'accounts.startSession', { email, password });
  return { status: 200, body: JSON.stringify(view), headers: { 'Set-Cookie': sessionCookie(configuration, token) } };
}

async function end(api: Api, { request }: Exchange): Promise<Reply> {
  const { configuration } = api.app;
  const tokenHash = sessionHashOf(request);
  if (tokenHash !== null) {
    requireOwnOrigin(configuration, request);
    await call(api.actions, 'accounts.endSession', { tokenHash });
  }
  return { status: 204, body: '', headers: { 'Set-Cookie': sessionCookie(configuration, null) } };
}

async function credentialsOf(api: Api, { request, response }: Exchange): Promise<{ email: string; password: string }> {
  refuseLargeBody(request, maxBytes);
  if (!isJson(request.headers['content-type']) || !isPlain(request))
    throw new Refusal('unsupported_media_type', { detail: 'Bodies are application/json in UTF-8, not compressed.' });
  const bytes = await readBody(request, response, { maxBytes, maxValues, budget: api.bodies });
  try {
    return checked(parseJson(bytes));
  } finally {
    api.bodies.release(bytes.length);
  }
}

function checked(body: unknown): { email: string; password: string } {
  try {
    return credentials.check(body);
  } catch (error) {
    within(error, 'body');
    if (error instanceof Refusal && error.data.fields !== undefined) throw sentence(error.data.fields, error.message);
    throw error;
  }
}

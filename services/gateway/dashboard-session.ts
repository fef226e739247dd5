import { call } from '../../mixins/actions/call.ts';
import type { StartedSession } from '../../mixins/actions/people.ts';
import { refuseKeyInQuery, takeFrom } from '../../mixins/http/api/admission.ts';
import type { Api } from '../../mixins/http/api/api.ts';
import { send, type Exchange, type Reply } from '../../mixins/http/api/exchange.ts';
import { sentence } from '../../mixins/http/api/route.ts';
import { requireOwnOrigin, sessionCookie, sessionHashOf } from '../../mixins/http/api/session-cookie.ts';
import { isJson, isPlain, parseJson, readBody, refuseLargeBody } from '../../mixins/http/body.ts';
import { Refusal } from '../../models/errors.ts';
import { acceptance, credentials, invitationToken } from '../../models/schemas/dashboard.ts';
import { within } from '../../models/schemas/faults.ts';
import type { Schema } from '../../models/schemas/schema.ts';
import { dashboardPath } from './routes/paths.ts';

/** Where a session of the dashboard is started, read and ended. */
export const sessionPath = `${dashboardPath}/session`;
/** Where the holder of an invitation's link reads it. */
export const invitationPath = `${dashboardPath}/invitation`;
/** Where they accept it. */
export const acceptancePath = `${invitationPath}/acceptance`;

const maxBytes = 16 * 1024;
const maxValues = 100;
/** Requests that one address may send here in a minute. */
const maxPerMinute = 120;

type Serve = (api: Api, exchange: Exchange, sender: string) => Promise<Reply>;

/** What is asked without a key and without an organization, by path and method. */
const entries: ReadonlyMap<string, ReadonlyMap<string, Serve>> = new Map([
  [
    sessionPath,
    new Map<string, Serve>([
      ['GET', current],
      ['POST', start],
      ['DELETE', end],
    ]),
  ],
  [invitationPath, new Map<string, Serve>([['POST', readInvitation]])],
  [acceptancePath, new Map<string, Serve>([['POST', accept]])],
]);

/** The paths that are served here. */
export const entryPaths = [...entries.keys()];

/**
 * Serves what is asked before there is a session: signing in, and accepting an invitation. There is neither key nor
 * organization yet.
 * @throws Refusal, or what the action throws
 */
export async function serveDashboardSession(
  api: Api,
  exchange: Exchange,
  senderOf: (request: Exchange['request']) => string,
): Promise<void> {
  const { request, path } = exchange;
  refuseKeyInQuery(exchange);
  const sender = senderOf(request);
  await takeFrom(api.app, exchange, `dashboard_session:${sender}`, maxPerMinute);
  const methods = entries.get(path) ?? new Map<string, Serve>();
  const serve = methods.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
  if (serve === undefined) {
    const allow = [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    throw new Refusal('method_not_allowed', { allow });
  }
  send(exchange, api.sender, await serve(api, exchange, sender));
}

async function current(api: Api, { request }: Exchange): Promise<Reply> {
  const tokenHash = sessionHashOf(request);
  if (tokenHash === null) throw new Refusal('api_key_required', { detail: 'Nobody is signed in.' });
  const session = await call(api.actions, 'accounts.readSession', { tokenHash });
  return { status: 200, body: JSON.stringify({ ...session, plainDelivery: plainDelivery(api.app) }) };
}

/**
 * Where a browser reads files of buckets that no edge serves over TLS, as on a single machine. With an https address of
 * its own, the deployment has a proxy that does.
 */
function plainDelivery({ configuration, listeners }: Api['app']): { domain: string; port: number } | null {
  const { PLY_DELIVERY_DOMAIN: domain, PLY_DELIVERY_PORT, PLY_DELIVERY_TLS_PORT, PLY_PUBLIC_URL } = configuration;
  if (PLY_DELIVERY_TLS_PORT !== null || PLY_PUBLIC_URL?.startsWith('https:') === true) return null;
  const port = listeners.all.find(({ name }) => name === 'delivery')?.port ?? PLY_DELIVERY_PORT;
  return port === 0 ? null : { domain, port };
}

async function start(api: Api, exchange: Exchange, sender: string): Promise<Reply> {
  const given = await bodyOf(api, exchange, credentials);
  return started(
    api,
    200,
    await call(api.actions, 'accounts.startSession', { ...given, ...clientOf(exchange, sender) }),
  );
}

async function accept(api: Api, exchange: Exchange, sender: string): Promise<Reply> {
  const given = await bodyOf(api, exchange, acceptance);
  const client = clientOf(exchange, sender);
  return started(api, 201, await call(api.actions, 'accounts.acceptInvitation', { ...given, ...client }));
}

async function readInvitation(api: Api, exchange: Exchange): Promise<Reply> {
  const { token } = await bodyOf(api, exchange, invitationToken);
  return { status: 200, body: JSON.stringify(await call(api.actions, 'accounts.readInvitation', { token })) };
}

function clientOf({ request }: Exchange, sender: string): { ip: string | null; userAgent: string | null } {
  return { ip: sender === '' ? null : sender, userAgent: request.headers['user-agent'] ?? null };
}

function started({ app }: Api, status: number, { token, view }: StartedSession): Reply {
  return { status, body: JSON.stringify(view), headers: { 'Set-Cookie': sessionCookie(app.configuration, token) } };
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

async function bodyOf<T>(api: Api, { request, response }: Exchange, schema: Schema<T>): Promise<T> {
  // Programs send no Origin; a browser does, and another site must not sign somebody in.
  if (request.headers.origin !== undefined) requireOwnOrigin(api.app.configuration, request);
  refuseLargeBody(request, maxBytes);
  if (!isJson(request.headers['content-type']) || !isPlain(request))
    throw new Refusal('unsupported_media_type', { detail: 'Bodies are application/json in UTF-8, not compressed.' });
  const bytes = await readBody(request, response, { maxBytes, maxValues, budget: api.bodies });
  try {
    return checked(parseJson(bytes), schema);
  } finally {
    api.bodies.release(bytes.length);
  }
}

function checked<T>(body: unknown, schema: Schema<T>): T {
  try {
    return schema.check(body);
  } catch (error) {
    within(error, 'body');
    if (error instanceof Refusal && error.data.fields !== undefined) throw sentence(error.data.fields, error.message);
    throw error;
  }
}

import type { ActionCaller } from '../../mixins/actions.ts';
import type { House } from '../../mixins/house.ts';
import type { BodyBudget } from '../../mixins/http/body-budget.ts';
import { hasBody, isJson, isPlain, parseJson, readBody, refuseLargeBody } from '../../mixins/http/body.ts';
import { holdsKey, parseQuery } from '../../mixins/http/query.ts';
import { holdsNothing } from '../../mixins/http/unread-body.ts';
import type { Caller } from '../../models/api.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { isObject } from '../../models/schemas/schema.ts';
import type { AccessControl, Identity } from './access.ts';
import { send, type Exchange, type Sender } from './exchange.ts';
import { includes } from './features.ts';
import { fingerprintOf, type IdempotentRequests, type KeptAnswer, type KeyedRequest } from './idempotency.ts';
import type { Performed, Route } from './route.ts';
import { then, type Soon } from './soon.ts';
import { sendStored } from './stored-answer.ts';

/** What of the house the gateway lives in. */
export type GatewayHouse = Pick<House, 'configuration' | 'ambient' | 'log' | 'metrics' | 'tracing' | 'lifecycle' | 'records' | 'counters' | 'blobs'>;

/** What the checks and the handling of a request work with. */
export interface Gateway {
  house: GatewayHouse;
  /** What calls the actions. */
  actions: ActionCaller;
  access: AccessControl;
  idempotent: IdempotentRequests;
  sender: Sender;
  /** The memory for bodies. */
  bodies: BodyBudget;
  /** Tells the other gateways that sub-organizations were changed. */
  tellOfChange: () => void;
}

const window = 60_000;

/**
 * Carries a request of the API through its checks and its action, and sends the answer. What is there already is used
 * at once: a promise is waited for only where there is one.
 * @throws Refusal, or what the action throws
 */
export function serve(gateway: Gateway, exchange: Exchange): Soon<void> {
  return then(identify(gateway, exchange), (identity) => then(admit(gateway, exchange, identity), () => handle(gateway, exchange, identity)));
}

/** The checks before the route: key in the query, key, organization. @throws Refusal */
function identify({ access, actions }: Gateway, exchange: Exchange): Soon<Identity> {
  refuseKeyInQuery(exchange);
  const { headers, rawHeaders } = exchange.request;
  refuseTwoKeys(rawHeaders);
  return then(access.keyOf(actions, exchange.request), (key) => then(access.organizationOf(actions, key, headers['x-organization-id']), (organizationId) => ({ key, organizationId })));
}

/** Node takes the first of several Authorization headers, something in front of us perhaps the last. @throws Refusal 401 */
function refuseTwoKeys(rawHeaders: readonly string[]): void {
  let keys = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === authorization.length && name.toLowerCase() === authorization) keys += 1;
  }
  if (keys > 1) throw new Refusal('api_key_required', { detail: 'Send one Authorization header.' });
}

const authorization = 'authorization';

/** The rate limit, then the route and what it asks of the key. @throws Refusal */
function admit({ house }: Gateway, exchange: Exchange, identity: Identity): Soon<void> {
  exchange.identity = identity;
  const { key, organizationId } = identity;
  const rate = exchange.match.kind === 'route' ? exchange.match.route.rate : 'requests';
  return then(house.counters.take(`${rate}:${organizationId}`, key.limits[rate], window), (allowance) => {
    exchange.allowance = allowance;
    if (!allowance.allowed) throw new Refusal('rate_limited', { retryable: true, retryAfter: Math.max(1, Math.ceil(allowance.resetMs / 1000)) });
    authorize(exchange, identity);
  });
}

/** A key in the address is refused before anything else is looked at. @throws Refusal 401 */
export function refuseKeyInQuery({ search }: Exchange): void {
  if (holdsKey(search)) throw new Refusal('api_key_required', { detail: 'An API key must not stand in the address: it would be logged. Send it in the Authorization header.' });
}

/** The route and what it asks of the key: 404, 405, dashboard only, admin, own organization, plan. @throws Refusal */
function authorize({ match }: Exchange, identity: Identity): void {
  if (match.kind === 'dashboard') throw new Refusal('dashboard_session_required');
  if (match.kind === 'none') throw new Refusal('not_found');
  if (match.kind === 'method') throw new Refusal('method_not_allowed', { allow: match.allow });
  const { route } = match;
  if (route.scope === 'admin' && identity.key.scope !== 'admin') throw new Refusal('admin_key_required');
  if (route.ownOrganization && identity.organizationId !== identity.key.ownOrganizationId) {
    throw new Refusal('organization_forbidden', { detail: "X-Organization-Id must be the account's own organization." });
  }
  refuseMissingFeature(identity, route.feature);
}

function refuseMissingFeature({ key }: Identity, feature: string | null): void {
  if (feature !== null && !includes(key.features, feature)) throw new Refusal('not_included_in_plan', { detail: `The account's plan does not include ${feature}.` });
}

/** Reads and checks what was sent, calls the action and sends its answer. @throws Refusal, or what the action throws */
function handle(gateway: Gateway, exchange: Exchange, identity: Identity): Soon<void> {
  const { match } = exchange;
  if (match.kind !== 'route') throw new Refusal('not_found');
  const { route, params } = match;
  if (!hasBody(exchange.request)) return answer(gateway, exchange, identity, { route, params, ...noBody });
  return handleBody(gateway, exchange, identity, route, params);
}

async function handleBody(gateway: Gateway, exchange: Exchange, identity: Identity, route: Route, params: Read['params']): Promise<void> {
  const read = await bodyOf(gateway, exchange, route);
  try {
    await answer(gateway, exchange, identity, { route, params, ...read });
  } finally {
    gateway.bodies.release(read.bytes.length);
  }
}

/** A request with its body read. */
interface Read extends Body {
  route: Route;
  params: { [name: string]: string };
}

/** Checks the fields, calls the action and sends its answer. @throws Refusal, or what the action throws */
function answer(gateway: Gateway, exchange: Exchange, identity: Identity, { route, params, body, bytes }: Read): Promise<void> {
  const { request } = exchange;
  let idempotencyKey: string | null = null;
  const prepared = route.prepare({ params, query: parseQuery(exchange.search), headers: request.headers, body }, () => {
    idempotencyKey = idempotencyKeyOf(route, request.headers['idempotency-key']);
  });
  for (const feature of prepared.features) refuseMissingFeature(identity, feature);
  const perform = (workId: string | undefined): Promise<Performed> => prepared.perform(gateway.actions, callerOf(identity, exchange.requestId), identity.key.features, workId);
  if (route.isStored) return sendStored(exchange, gateway.sender, gateway.house.blobs, route.status, () => perform(undefined));
  const act = async (workId: string | undefined): Promise<KeptAnswer> => {
    const performed = await perform(workId);
    if (performed.kind === 'stored') throw new Error('what lies in the blobs is not kept as an answer');
    if (route.scope === 'admin' && route.method !== 'GET') noticeChange(gateway);
    return { status: route.status, body: answerOf(performed.value) };
  };
  if (idempotencyKey === null) return answerNow(act(undefined), gateway.sender, exchange);
  const fingerprint = fingerprintOf(route.method, exchange.path, bytes.length > mostCanonicalBytes ? bytes : body);
  return answerOnce(gateway, exchange, { organizationId: identity.organizationId, method: route.method, route: route.path, key: idempotencyKey, fingerprint }, act);
}

async function answerNow(reply: Promise<KeptAnswer>, sender: Sender, exchange: Exchange): Promise<void> {
  send(exchange, sender, await reply);
}

/** Does keyed work once, or sends again what it came to before. */
async function answerOnce({ idempotent, house, sender }: Gateway, exchange: Exchange, keyed: KeyedRequest, act: (workId: string) => Promise<KeptAnswer>): Promise<void> {
  const { status, body, replayed, kept } = await idempotent.run(keyed, act);
  if (!kept) house.log.warn({ requestId: exchange.requestId }, 'the answer of a keyed request could not be kept');
  send(exchange, sender, { status, body, ...(replayed ? { headers: { 'Idempotency-Replayed': 'true' } } : {}) });
}

/** A deactivated organization is refused from the answer on, here at once and at other gateways within a moment. */
function noticeChange({ access, tellOfChange }: Gateway): void {
  access.forgetOrganizations();
  tellOfChange();
}

function answerOf(answer: unknown): string {
  return answer === undefined || answer === null ? '' : JSON.stringify(answer);
}

/** Bodies up to this size are compared as values; larger ones byte by byte, which costs the event loop much less. */
const mostCanonicalBytes = 2 ** 20;

/** A body as it came, and as it was parsed: undefined where none was sent. */
interface Body {
  bytes: Buffer;
  body: unknown;
}

const noBody: Body = { bytes: Buffer.alloc(0), body: undefined };

async function bodyOf({ house, bodies }: Gateway, { request, response }: Exchange, { mostValues, body }: Route): Promise<Body> {
  const mostBytes = house.configuration.PLY_MAX_BODY_BYTES;
  refuseLargeBody(request, mostBytes);
  if (await holdsNothing(request, response)) return noBody;
  if (!isJson(request.headers['content-type']) || !isPlain(request)) {
    throw new Refusal('unsupported_media_type', { detail: 'Bodies are application/json in UTF-8, not compressed.' });
  }
  const bytes = await readBody(request, response, { mostBytes, mostValues, budget: bodies });
  if (bytes.length === 0) return noBody;
  try {
    return { bytes, body: valueOf(bytes, body?.json['type'] === 'array') };
  } catch (error) {
    bodies.release(bytes.length);
    throw error;
  }
}

function valueOf(bytes: Buffer, takesList: boolean): unknown {
  const body = parseJson(bytes);
  if (takesList && Array.isArray(body)) return body;
  if (!isObject(body)) throw invalid(['body'], 'The body must be a JSON object.');
  if (Object.hasOwn(body, 'apiKey')) throw new Refusal('api_key_required', { detail: 'An API key must not stand in the body. Send it in the Authorization header.' });
  return body;
}

/** The key of a request whose row reads one. @throws Refusal 400 where it is needed and missing, 422 where malformed */
function idempotencyKeyOf(route: Route, header: string | string[] | undefined): string | null {
  if (route.idempotency === 'none') return null;
  if (header === undefined) {
    if (route.idempotency === 'required') throw new Refusal('idempotency_key_required');
    return null;
  }
  if (typeof header === 'string' && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalid(['header', 'Idempotency-Key'], 'Idempotency-Key must be 1 to 255 printable characters.');
}

function callerOf({ key, organizationId }: Identity, requestId: string): Caller {
  return { accountId: key.accountId, organizationId, keyId: key.keyId, keyPrefix: key.prefix, keyLabel: key.label, keyScope: key.scope, requestId };
}

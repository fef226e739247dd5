import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import { includesRole } from '../../../models/people.ts';
import { holdsKey } from '../query.ts';
import type { Identity } from './access.ts';
import type { Api } from './api.ts';
import type { AnyExchange, Exchange } from './exchange.ts';

/** Milliseconds in which a rate limit counts requests. */
const rateWindowMs = 60_000;

/** Refuses a key in the address, and more than one Authorization header. @throws Refusal 401 */
export function refuseMisplacedKeys(exchange: AnyExchange): void {
  refuseKeyInQuery(exchange);
  refuseTwoKeys(exchange.request.rawHeaders);
}

/** A key in the address is refused before any other check. @throws Refusal 401 */
export function refuseKeyInQuery({ search }: AnyExchange): void {
  if (holdsKey(search))
    throw new Refusal('api_key_required', {
      detail: 'An API key must not stand in the address: it would be logged. Send it in the Authorization header.',
    });
}

const authorization = 'authorization';

/**
 * Node takes the first of several Authorization headers, a proxy in front of it may take the last. @throws Refusal 401
 */
function refuseTwoKeys(rawHeaders: readonly string[]): void {
  let keys = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === authorization.length && name.toLowerCase() === authorization) keys += 1;
  }
  if (keys > 1) throw new Refusal('api_key_required', { detail: 'Send one Authorization header.' });
}

/** Looks up the key and the organization of a request. @throws Refusal 400, 401, 403 */
export function identify({ access, actions, app }: Api, { request }: Exchange): Promise<Identity> {
  return access.identify(actions, request, app.configuration);
}

/** Takes a request from the organization's rate limit. @throws Refusal `rate_limited` */
export function limitRate({ app }: Api, exchange: Exchange, { key, organizationId }: Identity): Promise<void> {
  const rate = exchange.match.kind === 'route' ? exchange.match.route.rate : 'requests';
  return takeFrom(app, exchange, `${rate}:${organizationId}`, key.limits[rate] ?? key.limits.requests);
}

/** Takes a request from a counter and keeps its state for the response headers. @throws Refusal `rate_limited` */
export async function takeFrom(
  { counters }: Pick<Api['app'], 'counters'>,
  exchange: AnyExchange,
  counter: string,
  maxPerMinute: number,
): Promise<void> {
  const allowance = await counters.take(counter, maxPerMinute, rateWindowMs);
  exchange.allowance = allowance;
  if (!allowance.allowed)
    throw new Refusal('rate_limited', {
      retryable: true,
      retryAfter: Math.max(1, Math.ceil(allowance.resetMs / 1000)),
    });
}

/** Checks what a route asks of the key or the person: 404, 405, role, admin, dashboard only, own organization, plan. @throws Refusal */
export function authorizeRoute({ match }: Exchange, identity: Identity): void {
  // What only the dashboard does has no routes yet.
  if (match.kind === 'dashboard')
    throw new Refusal(identity.key.userId === undefined ? 'dashboard_session_required' : 'not_found');
  if (match.kind === 'none') throw new Refusal('not_found');
  if (match.kind === 'method') throw new Refusal('method_not_allowed', { allow: match.allow });
  const { route } = match;
  const { role } = identity.key;
  if (role !== undefined && !includesRole(role, route.role))
    throw new Refusal('role_not_sufficient', { detail: `The operation needs the role ${route.role}.` });
  if (route.scope === 'admin' && identity.key.scope !== 'admin') throw new Refusal('admin_key_required');
  if (route.dashboardOnly && identity.key.userId === undefined) throw new Refusal('dashboard_session_required');
  if (route.ownOrganization && identity.organizationId !== identity.key.ownOrganizationId) {
    throw new Refusal('organization_forbidden', {
      detail: "X-Organization-Id must be the account's own organization.",
    });
  }
  if (route.feature !== null) requireFeature(identity, route.feature);
}

/** Whether a plan includes a feature; where no plan is applied (null) all are available. */
export function hasFeature(features: readonly string[] | null, feature: string): boolean {
  return features === null || features.includes(feature);
}

/** @throws Refusal `not_included_in_plan` */
export function requireFeature({ key }: Identity, feature: string): void {
  if (!hasFeature(key.features, feature))
    throw new Refusal('not_included_in_plan', { detail: `The account's plan does not include ${feature}.` });
}

/** The caller as actions receive it. */
export function callerOf({ key, organizationId }: Identity, requestId: string, ip: string): Caller {
  return {
    accountId: key.accountId,
    organizationId,
    keyId: key.keyId,
    keyPrefix: key.prefix,
    keyLabel: key.label,
    keyScope: key.scope,
    requestId,
    ip: ip === '' ? null : ip,
    ...(key.userId === undefined ? {} : { userId: key.userId }),
    ...(key.role === undefined ? {} : { role: key.role }),
    ...(key.sessionId === undefined ? {} : { sessionId: key.sessionId }),
  };
}

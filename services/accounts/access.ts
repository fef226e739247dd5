import type { KeyAccess, OrganizationAccess } from '../../mixins/actions.ts';
import type { PlanLimits } from '../../models/plan.ts';
import { booksOf, type AccountsHouse } from './tools.ts';

/** What the key with this SHA-256 may do; null where it is unknown, inactive or expired, all alike. */
export async function keyAccess(house: AccountsHouse, keyHash: string): Promise<KeyAccess | null> {
  const { keys, accounts } = booksOf(house);
  const [key] = await keys.find({ filter: { hash: keyHash }, limit: 1 });
  if (key === undefined || !key.isActive || (key.expiresAt !== null && key.expiresAt <= house.ambient.now())) return null;
  const account = await accounts.get(key.accountId);
  if (account === null) return null;
  const { PLY_REQUESTS_PER_MINUTE: requests, PLY_SEARCH_REQUESTS_PER_MINUTE: search, PLY_REGISTRATIONS_PER_MINUTE: registrations } = house.configuration;
  return {
    accountId: account._id,
    ownOrganizationId: account.organizationId,
    keyId: key._id,
    prefix: key.prefix,
    label: key.label,
    scope: key.scope,
    limits: account.limits === undefined ? { requests, search, registrations } : limitsOf(account.limits),
    features: account.features ?? null,
  };
}

function limitsOf({ requestsPerMinute, searchRequestsPerMinute, registrationsPerMinute }: PlanLimits): KeyAccess['limits'] {
  return { requests: requestsPerMinute, search: searchRequestsPerMinute, registrations: registrationsPerMinute };
}

/** Whether an account may act for an organization: its own, or one of its sub-organizations that is active. */
export async function organizationAccess(house: AccountsHouse, accountId: string, organizationId: string): Promise<OrganizationAccess> {
  const organization = await booksOf(house).organizations.get(organizationId);
  return organization !== null && organization.accountId === accountId && organization.isActive ? 'allowed' : 'forbidden';
}

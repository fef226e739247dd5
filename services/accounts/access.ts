import type { KeyAccess, OrganizationAccess } from '../../mixins/actions/accounts.ts';
import type { Account } from '../../models/organization.ts';
import type { PlanLimits } from '../../models/plan.ts';
import type { ApiKey } from '../../models/organization.ts';
import { collectionsOf, type AccountCollections, type AccountsContext } from './collections.ts';

/** The key with this secret, or with this former secret during the overlap of a rotation. */
async function keyOf({ keys }: AccountCollections, hash: string, now: number): Promise<ApiKey | null> {
  const [current] = await keys.find({ filter: { hash }, limit: 1 });
  if (current !== undefined) return current;
  const [former] = await keys.find({ filter: { formerHash: hash }, limit: 1 });
  return former?.formerUntil !== undefined && former.formerUntil > now ? former : null;
}

/** The access of the key with this SHA-256; null if it is unknown, inactive or expired. */
export async function keyAccess(app: AccountsContext, keyHash: string): Promise<KeyAccess | null> {
  const collections = collectionsOf(app);
  const now = app.runtime.now();
  const key = await keyOf(collections, keyHash, now);
  if (key === null || !key.isActive || (key.expiresAt !== null && key.expiresAt <= now)) return null;
  const account = await collections.accounts.get(key.accountId);
  if (account === null) return null;
  return { ...accessOf(app, account), keyId: key._id, prefix: key.prefix, label: key.label, scope: key.scope };
}

/** What every client of an account may do. */
export function accessOf(
  app: Pick<AccountsContext, 'configuration'>,
  account: Account,
): Pick<KeyAccess, 'accountId' | 'ownOrganizationId' | 'limits' | 'features'> {
  const {
    PLY_REQUESTS_PER_MINUTE: requests,
    PLY_SEARCH_REQUESTS_PER_MINUTE: search,
    PLY_REGISTRATIONS_PER_MINUTE: registrations,
    PLY_STORAGE_REQUESTS_PER_MINUTE: storage,
  } = app.configuration;
  return {
    accountId: account._id,
    ownOrganizationId: account.organizationId,
    limits: account.limits === undefined ? { requests, search, registrations, storage } : limitsOf(account.limits),
    features: account.features ?? null,
  };
}

function limitsOf({
  requestsPerMinute,
  searchRequestsPerMinute,
  registrationsPerMinute,
  storageRequestsPerMinute,
}: PlanLimits): KeyAccess['limits'] {
  return {
    requests: requestsPerMinute,
    search: searchRequestsPerMinute,
    registrations: registrationsPerMinute,
    storage: storageRequestsPerMinute,
  };
}

/** Whether an account may act for an organization: its own, or one of its active sub-organizations. */
export async function organizationAccess(
  app: AccountsContext,
  accountId: string,
  organizationId: string,
): Promise<OrganizationAccess> {
  const organization = await collectionsOf(app).organizations.get(organizationId);
  return organization !== null && organization.accountId === accountId && organization.isActive
    ? 'allowed'
    : 'forbidden';
}

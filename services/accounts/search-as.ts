import { Refusal } from '../../models/errors.ts';
import type { AuditActor } from '../../models/organization.ts';
import { record } from './audit.ts';
import { booksOf, type AccountsHouse } from './tools.ts';

/** Principals that an audit row names; of more it tells the number. */
const mostNamed = 20;

/** A search as another reader, before it is run. */
export interface SearchAs {
  /** Id of the search, which its row bears too: told twice, it is written once. */
  searchId: string;
  organizationId: string;
  actor: AuditActor;
  /** As whom: at least one. */
  principals: readonly string[];
}

/**
 * Writes the audit row of a search that somebody makes as another reader. The search may be run when this has
 * answered. The row never holds the query: organizations may choose to keep none.
 * @throws Refusal `organization_forbidden` where the organization is unknown or deactivated; what the store throws
 */
export async function recordSearchAs(house: AccountsHouse, { searchId, organizationId, actor, principals }: SearchAs): Promise<{ accountId: string }> {
  const books = booksOf(house);
  const organization = await books.organizations.get(organizationId);
  if (organization === null || !organization.isActive) throw new Refusal('organization_forbidden');
  const { accountId } = organization;
  const detail = { principals: principals.slice(0, mostNamed), principalCount: principals.length, searchId };
  await record(books, { accountId, at: house.ambient.now(), actor, action: 'dashboard.search_as', resourceKind: 'organization', resourceId: organizationId, detail }, searchId);
  return { accountId };
}

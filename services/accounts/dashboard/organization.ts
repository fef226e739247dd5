import type { Caller, OrganizationProfileView } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import { isoTime } from '../../../models/runtime.ts';
import { flushAudit, withAudit } from '../audit.ts';
import { collectionsOf, type AccountsContext } from '../collections.ts';
import { factAbout, managerIn, peopleOf } from './people.ts';

/** Attempts of a conditional write before the caller is asked to try again. */
const writeAttempts = 50;

/** What people may change of their account's own organization. */
export interface OrganizationChange {
  name?: string;
  contactEmail?: string | null;
  description?: string | null;
}

/** The account's own organization. @throws Refusal `organization_forbidden` if it was erased */
export async function readOrganization(app: AccountsContext, caller: Caller): Promise<OrganizationProfileView> {
  const { accounts, organizations } = collectionsOf(app);
  const account = await accounts.get(caller.accountId);
  const own = account === null ? null : await organizations.get(account.organizationId);
  if (account === null || own === null) throw new Refusal('organization_forbidden');
  return {
    id: own._id,
    name: own.name,
    contactEmail: own.contactEmail,
    description: own.description,
    timeZone: account.timeZone,
    currency: account.currency ?? null,
    plan: account.plan,
    createdAt: isoTime(own.createdAt),
    updatedAt: isoTime(own.updatedAt),
  };
}

/**
 * Changes the fields that are sent. Fields that are equal change nothing and add no audit row.
 * @throws Refusal `role_not_sufficient`, `organization_forbidden`
 */
export async function changeOrganization(
  app: AccountsContext,
  caller: Caller,
  change: OrganizationChange,
): Promise<OrganizationProfileView> {
  const collections = collectionsOf(app);
  managerIn(await peopleOf(app, caller.accountId), caller);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const { id } = await readOrganization(app, caller);
    const current = await collections.organizations.get(id);
    if (current === null) throw new Refusal('organization_forbidden');
    const { name = current.name, contactEmail = current.contactEmail, description = current.description } = change;
    const set = { name, contactEmail, description };
    const fields = Object.entries(set).flatMap(([field, value]) =>
      value === current[field as keyof typeof set] ? [] : [field],
    );
    if (fields.length === 0) break;
    const fact = factAbout(app, caller, 'organization.updated', { kind: 'organization', id, detail: { fields } });
    // Each update has its own time, because the time identifies the state of the document.
    const updatedAt = Math.max(app.runtime.now(), current.updatedAt + 1);
    const changed = await collections.organizations.update(
      id,
      { accountId: caller.accountId, updatedAt: current.updatedAt },
      withAudit({ set: { ...set, updatedAt } }, [fact], app.runtime.uuid),
    );
    if (changed === null) continue;
    await flushAudit(app, collections, collections.organizations, changed);
    break;
  }
  return readOrganization(app, caller);
}

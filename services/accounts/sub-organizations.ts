import type { Caller, SubOrganizationChange, SubOrganizationView } from '../../models/api.ts';
import { isoTime } from '../../models/runtime.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import type { Json, JsonObject } from '../../models/json.ts';
import type { AuditAction, AuditFact, Organization } from '../../models/organization.ts';
import { actorOf, createdWith, flushAudit, withAudit } from './audit.ts';
import { collectionsOf, takeHourly, type AccountsContext, type AccountCollections } from './collections.ts';

/** Sub-organizations that an account may create in an hour. */
const creationsAnHour = 60;

const attempts = 50;
const inOnePage = 500;

/** The stored field of each field of the API. */
const storedFields = {
  name: 'name',
  contact_email: 'contactEmail',
  description: 'description',
  metadata: 'metadata',
  is_active: 'isActive',
} as const;

/**
 * Checks that a request applies to the account's own organization and uses an admin key. The gateway checks this too;
 * actions do not rely on it.
 * @throws Refusal `organization_forbidden`, `admin_key_required`
 */
export async function checkOwner({ accounts }: Pick<AccountCollections, 'accounts'>, caller: Caller): Promise<void> {
  const account = await accounts.get(caller.accountId);
  if (account === null || account.organizationId !== caller.organizationId) throw new Refusal('organization_forbidden');
  if (caller.keyScope !== 'admin') throw new Refusal('admin_key_required');
}

/** Creates a sub-organization. @throws Refusal `rate_limited`, `validation_error` if the name is missing */
export async function createSubOrganization(
  app: AccountsContext,
  caller: Caller,
  fields: SubOrganizationChange,
): Promise<SubOrganizationView> {
  const collections = collectionsOf(app);
  await checkOwner(collections, caller);
  if (fields.name === undefined) throw invalid(['body', 'name'], 'A sub-organization needs a name.');
  await takeHourly(app, 'sub-organizations', caller.accountId, creationsAnHour);
  const now = app.runtime.now();
  const organization: Organization = {
    _id: app.runtime.uuid(),
    accountId: caller.accountId,
    parentId: caller.organizationId,
    name: fields.name,
    contactEmail: fields.contact_email ?? null,
    description: fields.description ?? null,
    isActive: true,
    metadata: fields.metadata ?? null,
    createdAt: now,
    updatedAt: now,
  };
  const created: Organization = {
    ...organization,
    ...createdWith(factOf(caller, now, 'sub_organization.created', organization._id, {}), app.runtime.uuid()),
  };
  await collections.organizations.insert(created);
  await flushAudit(app, collections, collections.organizations, created);
  return viewOf(organization);
}

/** Every sub-organization of the account, active or not, oldest first. */
export async function listSubOrganizations(app: AccountsContext, caller: Caller): Promise<SubOrganizationView[]> {
  const collections = collectionsOf(app);
  await checkOwner(collections, caller);
  const views: SubOrganizationView[] = [];
  let after: (string | number)[] | null = null;
  for (;;) {
    const page: Organization[] = await collections.organizations.find({
      filter: { accountId: caller.accountId },
      sort: [
        ['createdAt', 1],
        ['_id', 1],
      ],
      limit: inOnePage,
      ...(after === null ? {} : { after }),
    });
    views.push(...page.filter(({ parentId }) => parentId !== null).map(viewOf));
    const last = page.at(-1);
    if (last === undefined || page.length < inOnePage) return views;
    after = [last.createdAt, last._id];
  }
}

/** One sub-organization of the account. @throws Refusal `sub_organization_not_found` */
export async function readSubOrganization(
  app: AccountsContext,
  caller: Caller,
  id: string,
): Promise<SubOrganizationView> {
  const collections = collectionsOf(app);
  await checkOwner(collections, caller);
  return viewOf(await find(collections, caller, id));
}

/**
 * Changes the fields that are sent. Fields equal to their stored values change nothing and add no audit row.
 * @throws Refusal `sub_organization_not_found`, `validation_error` (`["body"]`) if no editable field is sent
 */
export async function changeSubOrganization(
  app: AccountsContext,
  caller: Caller,
  id: string,
  change: SubOrganizationChange,
): Promise<SubOrganizationView> {
  const collections = collectionsOf(app);
  await checkOwner(collections, caller);
  const sent = Object.entries(storedFields).filter(([field]) => sentValue(change, field) !== undefined);
  if (sent.length === 0) throw invalid(['body'], `Send at least one of ${Object.keys(storedFields).join(', ')}.`);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const current = await find(collections, caller, id);
    const differing = sent.filter(([field, stored]) => !isSame(sentValue(change, field), current[stored]));
    if (differing.length === 0) return viewOf(current);
    // Each update has its own time, because the time identifies the state of the document.
    const now = Math.max(app.runtime.now(), current.updatedAt + 1);
    const set: JsonObject = { updatedAt: now };
    for (const [field, stored] of differing) set[stored] = sentValue(change, field) ?? null;
    const facts = factsOf(
      caller,
      now,
      id,
      differing.map(([field]) => field),
      change.is_active,
    );
    const changed = await collections.organizations.update(
      id,
      { accountId: caller.accountId, updatedAt: current.updatedAt },
      withAudit({ set }, facts, app.runtime.uuid),
    );
    if (changed === null) continue;
    await flushAudit(app, collections, collections.organizations, changed);
    return viewOf(changed);
  }
  throw new Refusal('content_service_unavailable', {
    detail: 'The sub-organization is being changed by too many at once; try again.',
    retryable: true,
    retryAfter: 1,
  });
}

/**
 * Deactivates a sub-organization and keeps its data. Idempotent. @throws Refusal `sub_organization_not_found`
 */
export async function deactivateSubOrganization(
  app: AccountsContext,
  caller: Caller,
  id: string,
): Promise<{ success: true; message: string }> {
  await changeSubOrganization(app, caller, id, { is_active: false });
  return { success: true, message: 'The sub-organization is deactivated. Its content is kept.' };
}

async function find({ organizations }: AccountCollections, caller: Caller, id: string): Promise<Organization> {
  const organization = await organizations.get(id);
  if (organization === null || organization.accountId !== caller.accountId || organization.parentId === null)
    throw new Refusal('sub_organization_not_found');
  return organization;
}

function factsOf(caller: Caller, at: number, id: string, fields: string[], isActive: boolean | undefined): AuditFact[] {
  const edited = fields.filter((field) => field !== 'is_active').sort();
  const facts = edited.length > 0 ? [factOf(caller, at, 'sub_organization.updated', id, { fields: edited })] : [];
  if (fields.includes('is_active'))
    facts.push(
      factOf(caller, at, isActive === true ? 'sub_organization.reactivated' : 'sub_organization.deactivated', id, {}),
    );
  return facts;
}

function factOf(
  caller: Caller,
  at: number,
  action: AuditAction,
  resourceId: string,
  detail: AuditFact['detail'],
): AuditFact {
  const { accountId } = caller;
  return { accountId, at, actor: actorOf(caller), action, resourceKind: 'sub_organization', resourceId, detail };
}

function sentValue(change: SubOrganizationChange, field: string): Json | undefined {
  return Reflect.get(change, field) as Json | undefined;
}

/** Whether a sent value equals the stored one. The order of metadata keys does not matter. */
function isSame(sent: unknown, stored: Organization[keyof Organization]): boolean {
  return JSON.stringify(sorted(sent)) === JSON.stringify(sorted(stored));
}

function sorted(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
    : value;
}

function viewOf(organization: Organization): SubOrganizationView {
  const { _id, parentId, name, contactEmail, description, isActive, metadata, createdAt, updatedAt } = organization;
  return {
    id: _id,
    parent_organization_id: parentId ?? '',
    name,
    contact_email: contactEmail,
    description,
    is_active: isActive,
    metadata,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  };
}

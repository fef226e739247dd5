import type { Change } from '../../../adapters/records/port.ts';
import type { Caller, PersonView } from '../../../models/api.ts';
import { dashboardSessions } from '../../../models/dashboard.ts';
import { Refusal } from '../../../models/errors.ts';
import type { AuditAction, AuditFact } from '../../../models/organization.ts';
import { includesRole, maxPeople, type AccountPeople, type Person, type Role } from '../../../models/people.ts';
import { isoTime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { actorOf, flushAudit, withAudit } from '../audit.ts';
import { collectionsOf, type AccountsContext } from '../collections.ts';

/** Attempts of a conditional write before the caller is asked to try again. */
const writeAttempts = 50;
const sessionsAtOnce = 100;

/** The people of an account. Users of a version without roles are its owners. */
export async function peopleOf(app: AccountsContext, accountId: string): Promise<AccountPeople> {
  const { people, users } = collectionsOf(app);
  const known = await people.get(accountId);
  if (known !== null) return known;
  const owners = await users.find({
    filter: { accountId },
    sort: [
      ['createdAt', 1],
      ['_id', 1],
    ],
    limit: maxPeople,
  });
  const first: AccountPeople = {
    _id: accountId,
    people: owners.map(({ _id }) => ({ id: _id, role: 'owner', isActive: true })),
    invitations: [],
    version: 1,
  };
  await people.insertNew([first]);
  return (await people.get(accountId)) ?? first;
}

/** What becomes of an account's people, and the facts for the audit. */
export interface PeopleChange extends Pick<Change, 'unset'> {
  set: Partial<AccountPeople>;
  facts?: readonly AuditFact[];
}

/**
 * Changes the people of an account in one write. `decide` sees them as they are when it is written, and may be asked
 * again; null changes nothing.
 * @throws Refusal, what `decide` throws
 */
export async function changePeople(
  app: AccountsContext,
  accountId: string,
  decide: (people: AccountPeople) => PeopleChange | null,
): Promise<AccountPeople> {
  const collections = collectionsOf(app);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const current = await peopleOf(app, accountId);
    const decided = decide(current);
    if (decided === null) return current;
    const { set, unset = [], facts = [] } = decided;
    const change = { set: { ...set }, unset, increment: { version: 1 } };
    const changed = await collections.people.update(
      accountId,
      { version: current.version },
      withAudit(change, facts, app.runtime.uuid),
    );
    if (changed === null) continue;
    if (facts.length > 0) await flushAudit(app, collections, collections.people, changed);
    return changed;
  }
  throw new Refusal('content_service_unavailable', {
    detail: 'The people of the account are being changed by too many at once; try again.',
    retryable: true,
    retryAfter: 1,
  });
}

/** The caller among the people. @throws Refusal `role_not_sufficient` if they may not manage people */
export function managerIn({ people }: AccountPeople, { userId }: Caller): Person {
  const own = people.find(({ id }) => id === userId);
  if (own?.isActive !== true || !includesRole(own.role, 'admin')) throw new Refusal('role_not_sufficient');
  return own;
}

/** @throws Refusal `role_not_sufficient` if a person may not give, take or end this role */
export function requireRole(own: Person, role: Role): void {
  if (!includesRole(own.role, role))
    throw new Refusal('role_not_sufficient', { detail: `Your role does not include ${role}.` });
}

/** An audit fact about a person of the account. */
export function factAbout(
  app: Pick<AccountsContext, 'runtime'>,
  caller: Caller,
  action: AuditAction,
  resource: { kind: string; id: string; detail?: AuditFact['detail'] },
): AuditFact {
  return {
    accountId: caller.accountId,
    at: app.runtime.now(),
    actor: actorOf(caller),
    action,
    resourceKind: resource.kind,
    resourceId: resource.id,
    detail: resource.detail ?? {},
  };
}

/** The people of the caller's account, in the order in which they joined. @throws Refusal `role_not_sufficient` */
export async function listPeople(app: AccountsContext, caller: Caller): Promise<{ items: PersonView[] }> {
  const people = await peopleOf(app, caller.accountId);
  managerIn(people, caller);
  return { items: await viewsOf(app, people.people) };
}

async function viewsOf(app: AccountsContext, people: readonly Person[]): Promise<PersonView[]> {
  const found = await collectionsOf(app).users.getMany(people.map(({ id }) => id));
  const byId = new Map(found.map((user) => [user._id, user]));
  return people.flatMap(({ id, role, isActive }) => {
    const user = byId.get(id);
    if (user === undefined) return [];
    const { email, createdAt, sealedTotp } = user;
    return [
      { userId: id, email, role, isActive, secondFactor: sealedTotp !== undefined, createdAt: isoTime(createdAt) },
    ];
  });
}

/**
 * Changes a person's role, or whether they may sign in. The sessions of a person who may not are over at once, and stay
 * over.
 * @throws Refusal `person_not_found`, `role_not_sufficient`, `last_owner`
 */
export async function changePerson(
  app: AccountsContext,
  caller: Caller,
  userId: string,
  change: { role?: Role; isActive?: boolean },
): Promise<PersonView> {
  const { users } = collectionsOf(app);
  let isWaking = change.isActive === true;
  if (isWaking) {
    const known = (await peopleOf(app, caller.accountId)).people.find(({ id }) => id === userId);
    isWaking = known?.isActive === false;
  }
  // Before they may sign in again: sessions of before must not come back.
  if (isWaking)
    await users.update(
      userId,
      { accountId: caller.accountId },
      { unset: ['keptSession'], increment: { generation: 1 } },
    );
  const people = await changePeople(app, caller.accountId, (current) => {
    const own = managerIn(current, caller);
    const person = current.people.find(({ id }) => id === userId);
    if (person === undefined) throw new Refusal('person_not_found');
    const next = { ...person, ...change };
    if (next.role === person.role && next.isActive === person.isActive) return null;
    requireRole(own, person.role);
    requireRole(own, next.role);
    const others = current.people.map((each) => (each.id === userId ? next : each));
    if (isOwner(person) && !others.some(isOwner)) throw new Refusal('last_owner');
    const about = { kind: 'user', id: userId };
    const facts: AuditFact[] = [];
    if (next.role !== person.role)
      facts.push(factAbout(app, caller, 'person.role_changed', { ...about, detail: { formerRole: person.role } }));
    if (next.isActive !== person.isActive)
      facts.push(factAbout(app, caller, next.isActive ? 'person.reactivated' : 'person.deactivated', about));
    return { set: { people: others }, facts };
  });
  if (change.isActive === false) await removeSessions(app, userId);
  const [view] = await viewsOf(
    app,
    people.people.filter(({ id }) => id === userId),
  );
  if (view === undefined) throw new Refusal('person_not_found');
  return view;
}

function isOwner({ role, isActive }: Person): boolean {
  return role === 'owner' && isActive;
}

/** Removes a user's sessions, but for one if it is named. */
export async function removeSessions({ records }: AccountsContext, userId: string, but?: string): Promise<void> {
  const sessions = records.collection(dashboardSessions, systemScope);
  const filter = { userId, ...(but === undefined ? {} : { _id: { $ne: but } }) };
  while ((await sessions.removeMany(filter, sessionsAtOnce)) === sessionsAtOnce);
}

import { isDuplicate } from '../../../adapters/records/port.ts';
import type { InvitationView, NewInvitationView, OpenInvitationView, Caller } from '../../../models/api.ts';
import type { User } from '../../../models/dashboard.ts';
import { Refusal } from '../../../models/errors.ts';
import {
  includesRole,
  invitationMs,
  maxInvitations,
  maxPeople,
  type AccountPeople,
  type Invitation,
  type Role,
} from '../../../models/people.ts';
import { isoTime } from '../../../models/runtime.ts';
import { collectionsOf, takeHourly, type AccountsContext } from '../collections.ts';
import { hashKey } from '../keys.ts';
import { changePeople, factAbout, managerIn, peopleOf, requireRole } from './people.ts';
import { userRecord } from './users.ts';

/** Invitations that an account may send in an hour. */
const invitationsAnHour = 60;
const secretBytes = 32;
/** The account's id (16 bytes) and the secret, both in base64url. */
const tokenForm = /^([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{43})$/;

function viewOf({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation): InvitationView {
  return { id, email, role, invitedBy, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}

/** The token of an invitation's link. */
function tokenOf(accountId: string, secret: string): string {
  return Buffer.from(accountId.replaceAll('-', ''), 'hex').toString('base64url') + secret;
}

function accountIn(token: string): { accountId: string; secretHash: string } | null {
  const [, account = '', secret = ''] = tokenForm.exec(token) ?? [];
  if (secret === '') return null;
  const hex = Buffer.from(account, 'base64url').toString('hex');
  const accountId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { accountId, secretHash: hashKey(secret) };
}

/** The invitations that wait, oldest first. @throws Refusal `role_not_sufficient` */
export async function listInvitations(app: AccountsContext, caller: Caller): Promise<{ items: InvitationView[] }> {
  const people = await peopleOf(app, caller.accountId);
  managerIn(people, caller);
  const now = app.runtime.now();
  return { items: people.invitations.filter(({ expiresAt }) => expiresAt > now).map(viewOf) };
}

/**
 * Invites a person with at most the caller's own role. The token is answered once; an earlier invitation of the address
 * is replaced.
 * @throws Refusal `role_not_sufficient`, `email_address_taken`, `people_limit_reached`, `rate_limited`
 */
export async function invitePerson(
  app: AccountsContext,
  caller: Caller,
  { email, role }: { email: string; role: Role },
): Promise<NewInvitationView> {
  const { runtime } = app;
  const { accountId, userId = '' } = caller;
  const secret = runtime.secret(secretBytes);
  const createdAt = runtime.now();
  const invitation: Invitation = {
    id: runtime.uuid(),
    secretHash: hashKey(secret),
    email,
    role,
    invitedBy: userId,
    createdAt,
    expiresAt: createdAt + invitationMs,
  };
  requireRole(managerIn(await peopleOf(app, accountId), caller), role);
  const [known] = await collectionsOf(app).users.find({ filter: { emailKey: email.toLowerCase() }, limit: 1 });
  // Whether an address has a user in another account is nobody's business before it is that person's.
  if (known?.accountId === accountId) throw new Refusal('email_address_taken');
  await takeHourly(app, 'invitations', accountId, invitationsAnHour);
  await changePeople(app, accountId, (current) => {
    requireRole(managerIn(current, caller), role);
    const waiting = current.invitations.filter(
      (each) => each.expiresAt > createdAt && each.email.toLowerCase() !== email.toLowerCase(),
    );
    if (waiting.length >= maxInvitations || current.people.length >= maxPeople)
      throw new Refusal('people_limit_reached');
    const fact = factAbout(app, caller, 'person.invited', { kind: 'invitation', id: invitation.id });
    return { set: { invitations: [...waiting, invitation] }, facts: [fact] };
  });
  return { ...viewOf(invitation), token: tokenOf(accountId, secret) };
}

/** Revokes an invitation. @throws Refusal `invitation_not_found`, `role_not_sufficient` */
export async function revokeInvitation(app: AccountsContext, caller: Caller, invitationId: string): Promise<null> {
  await changePeople(app, caller.accountId, (current) => {
    const own = managerIn(current, caller);
    const invitation = current.invitations.find(({ id }) => id === invitationId);
    if (invitation === undefined || invitation.expiresAt <= app.runtime.now())
      throw new Refusal('invitation_not_found');
    requireRole(own, invitation.role);
    return {
      set: { invitations: current.invitations.filter(({ id }) => id !== invitationId) },
      facts: [factAbout(app, caller, 'invitation.revoked', { kind: 'invitation', id: invitationId })],
    };
  });
  return null;
}

/** The invitation of a secret, while it holds: as long as its sender could still send it. */
function waitingIn({ people, invitations }: AccountPeople, secretHash: string, now: number): Invitation {
  const found = invitations.find((each) => each.secretHash === secretHash && each.expiresAt > now);
  const sender = people.find(({ id }) => id === found?.invitedBy);
  if (found === undefined || sender?.isActive !== true || !includesRole(sender.role, found.role))
    throw new Refusal('invitation_not_found');
  return found;
}

async function accountOf(app: AccountsContext, token: string): Promise<{ people: AccountPeople; secretHash: string }> {
  const named = accountIn(token);
  if (named === null || (await collectionsOf(app).accounts.get(named.accountId)) === null)
    throw new Refusal('invitation_not_found');
  return { people: await peopleOf(app, named.accountId), secretHash: named.secretHash };
}

/** What the holder of a link is invited to. @throws Refusal `invitation_not_found` */
export async function readInvitation(app: AccountsContext, token: string): Promise<OpenInvitationView> {
  const { people, secretHash } = await accountOf(app, token);
  const { email, role, expiresAt } = waitingIn(people, secretHash, app.runtime.now());
  const { accounts, organizations } = collectionsOf(app);
  const account = await accounts.get(people._id);
  const organization = account === null ? null : await organizations.get(account.organizationId);
  return { email, role, organization: organization?.name ?? '', expiresAt: isoTime(expiresAt) };
}

/**
 * Makes the holder of a link a user with this password. One write uses the invitation and adds the person, so that of
 * several requests with one link a single one succeeds; the user is stored from it.
 * @throws Refusal `invitation_not_found`, `email_address_taken`, `people_limit_reached`
 */
export async function acceptInvitation(app: AccountsContext, token: string, password: string): Promise<User> {
  const { runtime } = app;
  const { people, secretHash } = await accountOf(app, token);
  const { email } = waitingIn(people, secretHash, runtime.now());
  const [known] = await collectionsOf(app).users.find({ filter: { emailKey: email.toLowerCase() }, limit: 1 });
  if (known !== undefined) throw new Refusal('email_address_taken');
  const user = await userRecord(app, people._id, email, password);
  const joined = await changePeople(app, people._id, (current) => {
    const { id, role } = waitingIn(current, secretHash, runtime.now());
    if (current.people.length >= maxPeople) throw new Refusal('people_limit_reached');
    return {
      set: {
        people: [...current.people, { id: user._id, role, isActive: true }],
        invitations: current.invitations.filter((each) => each.id !== id),
        joining: [...(current.joining ?? []), user],
        joiningMark: user._id,
      },
      facts: [
        {
          accountId: people._id,
          at: runtime.now(),
          actor: { kind: 'user', id: user._id, label: email, prefix: null },
          action: 'person.joined',
          resourceKind: 'user',
          resourceId: user._id,
          detail: { invitationId: id },
        },
      ],
    };
  });
  const refused = await storeJoining(app, joined);
  if (refused.includes(user._id)) throw new Refusal('email_address_taken');
  return user;
}

/**
 * Stores the users who have accepted. Idempotent. One whose address another account's user took in the meantime is
 * removed again.
 * @returns the ids of those
 */
async function storeJoining(app: AccountsContext, { _id, joining = [] }: AccountPeople): Promise<string[]> {
  const { users } = collectionsOf(app);
  const refused: string[] = [];
  for (const user of joining)
    try {
      await users.insert(user);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      if ((await users.get(user._id)) === null) refused.push(user._id);
    }
  const stored = new Set(joining.map((user) => user._id));
  await changePeople(app, _id, (current) => {
    const left = (current.joining ?? []).filter((user) => !stored.has(user._id));
    return {
      set: { people: current.people.filter(({ id }) => !refused.includes(id)), joining: left },
      ...(left.length === 0 ? { unset: ['joiningMark'] } : {}),
    };
  });
  return refused;
}

/** Stores the users whose acceptance a crash cut off. */
export async function storeAllJoining(app: AccountsContext): Promise<void> {
  const waiting = await collectionsOf(app).people.find({ filter: { joiningMark: { $exists: true } }, limit: 100 });
  for (const people of waiting) await storeJoining(app, people);
}

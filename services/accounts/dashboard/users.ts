import { users, type User } from '../../../models/dashboard.ts';
import type { AuditAction, AuditActor, AuditFact } from '../../../models/organization.ts';
import type { Role } from '../../../models/people.ts';
import { isoTime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { flushAudit, operatorActor, withAudit } from '../audit.ts';
import { collectionsOf, type AccountsContext } from '../collections.ts';
import { hashPassword } from './passwords.ts';
import { changePeople, peopleOf, removeSessions } from './people.ts';

/** Random bytes of a password that the service makes: 20 URL-safe characters. */
const passwordBytes = 15;
/** What is removed with a second factor. */
export const ofSecondFactor = ['sealedTotp', 'sealedNewTotp', 'totpStep', 'recoveryCodes', 'recoveryMark'] as const;

/** A user as an operator sees it. */
export interface UserView {
  userId: string;
  accountId: string;
  email: string;
  /** Null: the user is no longer among the people of the account. */
  role: Role | null;
  isActive: boolean;
  secondFactor: boolean;
  createdAt: string;
}

/** A user with a new password, which is shown only once. */
export interface NewPassword {
  user: UserView;
  password: string;
}

async function viewOf(app: AccountsContext, { _id, accountId, email, sealedTotp, createdAt }: User): Promise<UserView> {
  const person = (await peopleOf(app, accountId)).people.find(({ id }) => id === _id);
  return {
    userId: _id,
    accountId,
    email,
    role: person?.role ?? null,
    isActive: person?.isActive ?? false,
    secondFactor: sealedTotp !== undefined,
    createdAt: isoTime(createdAt),
  };
}

/** An audit fact of what a user did themselves, or, with another actor, of what was done with the user. */
export function userFact(
  { runtime }: Pick<AccountsContext, 'runtime'>,
  { _id, accountId, email }: User,
  action: AuditAction,
  resource: { kind: string; id: string } = { kind: 'user', id: _id },
  actor: AuditActor = { kind: 'user', id: _id, label: email, prefix: null },
): AuditFact {
  return {
    accountId,
    at: runtime.now(),
    actor,
    action,
    resourceKind: resource.kind,
    resourceId: resource.id,
    detail: {},
  };
}

/** A password that nobody has chosen. */
export function newPassword({ runtime }: Pick<AccountsContext, 'runtime'>): string {
  return runtime.secret(passwordBytes);
}

/** The document of a new user. */
export async function userRecord(
  { runtime }: Pick<AccountsContext, 'runtime'>,
  accountId: string,
  email: string,
  password: string,
): Promise<User> {
  const now = runtime.now();
  return {
    _id: runtime.uuid(),
    accountId,
    email,
    emailKey: email.toLowerCase(),
    passwordHash: await hashPassword(password),
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Gives a user of an account a new password and ends their sessions; a user whom nobody has is created, as an owner.
 * @param accountId of a new user
 * @param isReset whether to turn the second factor off as well and let the user sign in again
 * @throws Error if the address belongs to a user of another account, or a reset to nobody
 */
export async function givePassword(
  app: AccountsContext,
  accountId: string,
  email: string,
  isReset = false,
): Promise<NewPassword> {
  const collections = collectionsOf(app);
  const password = newPassword(app);
  const made = await userRecord(app, accountId, email, password);
  const [known] = await collections.users.find({ filter: { emailKey: made.emailKey }, limit: 1 });
  if (known === undefined && isReset) throw new Error(`${email} is no user; users password makes one`);
  if (known === undefined) await collections.users.insert(made);
  else if (known.accountId !== accountId) throw new Error(`${email} is a user of another account`);
  else await replacePassword(app, known, made.passwordHash, isReset);
  const user = known ?? made;
  await changePeople(app, accountId, ({ people }) => {
    const person = people.find(({ id }) => id === user._id);
    if (person !== undefined && (person.isActive || !isReset)) return null;
    const others = people.filter(({ id }) => id !== user._id);
    const standing = { id: user._id, role: person?.role ?? 'owner', isActive: true };
    const action = person === undefined ? 'person.joined' : 'person.reactivated';
    return { set: { people: [...others, standing] }, facts: [userFact(app, user, action, undefined, operatorActor)] };
  });
  const changed = await collections.users.get(user._id);
  if (changed === null) throw new Error(`${email} was just removed`);
  return { user: await viewOf(app, changed), password };
}

async function replacePassword(
  app: AccountsContext,
  user: User,
  passwordHash: string,
  isReset: boolean,
): Promise<void> {
  const collections = collectionsOf(app);
  const change = {
    set: { passwordHash, updatedAt: app.runtime.now() },
    increment: { generation: 1 },
    unset: ['keptSession', ...(isReset ? ofSecondFactor : [])],
  };
  const facts = [userFact(app, user, 'password.reset', undefined, operatorActor)];
  const changed = await collections.users.update(user._id, {}, withAudit(change, facts, app.runtime.uuid));
  if (changed === null) return;
  await removeSessions(app, user._id);
  await flushAudit(app, collections, collections.users, changed);
}

/** The users of an account, oldest first. */
export async function listUsers(app: AccountsContext, accountId: string): Promise<UserView[]> {
  const found = await app.records.collection(users, systemScope).find({
    filter: { accountId },
    sort: [
      ['createdAt', 1],
      ['_id', 1],
    ],
    limit: 10_000,
  });
  return Promise.all(found.map((user) => viewOf(app, user)));
}

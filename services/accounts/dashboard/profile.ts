import type { Caller, ProfileView, SessionItemView } from '../../../models/api.ts';
import {
  dashboardSessions,
  isCurrentSession,
  sessionIdOf,
  type DashboardSession,
  type User,
} from '../../../models/dashboard.ts';
import { Refusal } from '../../../models/errors.ts';
import { isoTime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { actorOf, flushAudit, recordAudit, withAudit } from '../audit.ts';
import { collectionsOf, type AccountsContext } from '../collections.ts';
import { beginAttempt } from './attempts.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { peopleOf, removeSessions } from './people.ts';
import { userFact } from './users.ts';

/** Sessions of a user that are listed. */
const maxListed = 200;

/** The user of a session. @throws Refusal `dashboard_session_required` */
export async function ownUser(app: AccountsContext, { accountId, userId }: Caller): Promise<User> {
  const user = userId === undefined ? null : await collectionsOf(app).users.get(userId);
  if (user?.accountId !== accountId) throw new Refusal('dashboard_session_required');
  return user;
}

/** The caller, after their password was proven. @throws Refusal `invalid_credentials`, `rate_limited` */
export async function provePassword(app: AccountsContext, caller: Caller, password: string): Promise<User> {
  const user = await ownUser(app, caller);
  const succeeded = await beginAttempt(app, user.emailKey);
  if (!(await isPassword(password, user.passwordHash)))
    throw new Refusal('invalid_credentials', { detail: 'The password is not right.' });
  await succeeded();
  return user;
}

/** The caller's own profile. @throws Refusal `dashboard_session_required` */
export async function readProfile(app: AccountsContext, caller: Caller): Promise<ProfileView> {
  const user = await ownUser(app, caller);
  const { accounts, organizations } = collectionsOf(app);
  const [account, { people }] = await Promise.all([accounts.get(user.accountId), peopleOf(app, user.accountId)]);
  const person = people.find(({ id }) => id === user._id);
  if (account === null || person === undefined) throw new Refusal('dashboard_session_required');
  const organization = await organizations.get(account.organizationId);
  return {
    userId: user._id,
    email: user.email,
    role: person.role,
    organizationId: account.organizationId,
    organizationName: organization?.name ?? '',
    timeZone: account.timeZone,
    secondFactor: user.sealedTotp !== undefined,
    recoveryCodesLeft: user.recoveryCodes?.length ?? 0,
    createdAt: isoTime(user.createdAt),
  };
}

/**
 * Changes the caller's password. Their other sessions are over with the same write.
 * @throws Refusal `invalid_credentials`, `rate_limited`
 */
export async function changePassword(
  app: AccountsContext,
  caller: Caller,
  { password, newPassword }: { password: string; newPassword: string },
): Promise<null> {
  const collections = collectionsOf(app);
  const user = await provePassword(app, caller, password);
  const own = (await sessionsOf(app, user)).find((each) => sessionIdOf(each) === caller.sessionId);
  const set = {
    passwordHash: await hashPassword(newPassword),
    updatedAt: app.runtime.now(),
    ...(own === undefined ? {} : { keptSession: own._id }),
  };
  const change = { set, increment: { generation: 1 }, ...(own === undefined ? { unset: ['keptSession'] } : {}) };
  const changed = await collections.users.update(
    user._id,
    { passwordHash: user.passwordHash },
    withAudit(change, [userFact(app, user, 'password.changed')], app.runtime.uuid),
  );
  if (changed === null) throw new Refusal('invalid_credentials', { detail: 'The password was just changed.' });
  await removeSessions(app, user._id, own?._id);
  await flushAudit(app, collections, collections.users, changed);
  return null;
}

/** The sessions of a user that go on, newest first. */
async function sessionsOf({ records, runtime }: AccountsContext, user: User): Promise<DashboardSession[]> {
  const found = await records.collection(dashboardSessions, systemScope).find({
    filter: { userId: user._id },
    sort: [
      ['createdAt', -1],
      ['_id', -1],
    ],
    limit: maxListed,
  });
  const now = runtime.now();
  return found.filter((session) => isCurrentSession(session, user, now));
}

/** The caller's sessions, newest first. @throws Refusal `dashboard_session_required` */
export async function listSessions(app: AccountsContext, caller: Caller): Promise<{ items: SessionItemView[] }> {
  const sessions = await sessionsOf(app, await ownUser(app, caller));
  return {
    items: sessions.map((session) => ({
      id: sessionIdOf(session),
      isCurrent: sessionIdOf(session) === caller.sessionId,
      ip: session.ip ?? null,
      userAgent: session.userAgent ?? null,
      createdAt: isoTime(session.createdAt),
      expiresAt: isoTime(session.expiresAt),
    })),
  };
}

/** Ends one of the caller's sessions, at once. @throws Refusal `session_not_found` */
export async function revokeSession(app: AccountsContext, caller: Caller, id: string): Promise<null> {
  const user = await ownUser(app, caller);
  const session = (await sessionsOf(app, user)).find((each) => sessionIdOf(each) === id);
  if (session === undefined) throw new Refusal('session_not_found');
  await recordAudit(
    collectionsOf(app),
    userFact(app, user, 'session.ended', { kind: 'session', id }, actorOf(caller)),
    `ended:${id}`,
  );
  await app.records.collection(dashboardSessions, systemScope).remove(session._id);
  return null;
}

/** Ends every other session of the caller, at once. */
export async function revokeOtherSessions(app: AccountsContext, caller: Caller): Promise<null> {
  const user = await ownUser(app, caller);
  const others = (await sessionsOf(app, user)).filter((each) => sessionIdOf(each) !== caller.sessionId);
  for (const other of others) await revokeSession(app, caller, sessionIdOf(other)).catch(unlessOver);
  return null;
}

function unlessOver(error: unknown): void {
  if (!(error instanceof Refusal && error.type === 'session_not_found')) throw error;
}

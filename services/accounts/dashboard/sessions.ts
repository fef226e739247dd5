import type { KeyAccess } from '../../../mixins/actions/accounts.ts';
import type { StartedSession } from '../../../mixins/actions/people.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { CurrentSessionView } from '../../../models/api.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import {
  dashboardSessions,
  isCurrentSession,
  loginFailures,
  sessionIdOf,
  sessionMs,
  type DashboardSession,
  type User,
} from '../../../models/dashboard.ts';
import { Refusal } from '../../../models/errors.ts';
import type { Account } from '../../../models/organization.ts';
import { includesRole } from '../../../models/people.ts';
import { isoTime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { accessOf } from '../access.ts';
import { recordAudit } from '../audit.ts';
import { collectionsOf, type AccountsContext, type SecretsContext } from '../collections.ts';
import { hashKey } from '../keys.ts';
import { beginAttempt } from './attempts.ts';
import { isPassword } from './passwords.ts';
import { storeAllJoining } from './invitations.ts';
import { peopleOf } from './people.ts';
import { takeCode } from './second-factor.ts';
import { userFact } from './users.ts';

const tokenBytes = 32;
/** Characters of a `User-Agent` that are kept. */
const maxUserAgent = 200;

/** What somebody signs in with. */
export interface SignIn extends ClientOfSession {
  email: string;
  password: string;
  /** Of the second factor, or a recovery code. */
  code?: string | undefined;
}

/** Where a session is started from. */
export interface ClientOfSession {
  ip?: string | null | undefined;
  userAgent?: string | null | undefined;
}

/**
 * Starts a session of the user with an e-mail address and password. The token is answered once.
 * @throws Refusal `invalid_credentials`, `second_factor_required`, `invalid_second_factor`, `rate_limited`
 */
export async function startSession(
  app: SecretsContext,
  { email, password, code, ...client }: SignIn,
): Promise<StartedSession> {
  const { accounts, users } = collectionsOf(app);
  const emailKey = email.toLowerCase();
  const succeeded = await beginAttempt(app, emailKey);
  const [user] = await users.find({ filter: { emailKey }, limit: 1 });
  const isRight = await isPassword(password, user?.passwordHash ?? null);
  const account = user === undefined ? null : await accounts.get(user.accountId);
  if (!isRight || user === undefined || account === null || !(await isActive(app, user)))
    throw new Refusal('invalid_credentials');
  if (user.sealedTotp !== undefined && code === undefined) {
    await succeeded();
    throw new Refusal('second_factor_required');
  }
  if (user.sealedTotp !== undefined) await takeCode(app, user, code ?? '');
  await succeeded();
  return openSession(app, user, account, client);
}

async function isActive(app: AccountsContext, { _id, accountId }: User): Promise<boolean> {
  const { people } = await peopleOf(app, accountId);
  return people.some(({ id, isActive: mayEnter }) => id === _id && mayEnter);
}

/** Starts a session of a user who has just accepted an invitation. */
export async function startFirstSession(
  app: AccountsContext,
  user: User,
  client: ClientOfSession,
): Promise<StartedSession> {
  const account = await collectionsOf(app).accounts.get(user.accountId);
  if (account === null) throw new Refusal('invitation_not_found');
  return openSession(app, user, account, client);
}

async function openSession(
  app: AccountsContext,
  user: User,
  { organizationId }: Account,
  { ip, userAgent }: ClientOfSession,
): Promise<StartedSession> {
  const { records, runtime } = app;
  const token = runtime.secret(tokenBytes);
  const createdAt = runtime.now();
  const expiresAt = createdAt + sessionMs;
  const session: DashboardSession = {
    _id: hashKey(token),
    userId: user._id,
    accountId: user.accountId,
    generation: user.generation ?? 0,
    ip: ip ?? null,
    userAgent: userAgent?.slice(0, maxUserAgent).toWellFormed() ?? null,
    createdAt,
    expiresAt,
  };
  await records.collection(dashboardSessions, systemScope).insert(session);
  const fact = userFact(app, user, 'session.started', { kind: 'session', id: sessionIdOf(session) });
  await recordAudit(collectionsOf(app), fact, session._id);
  return { token, view: { userId: user._id, email: user.email, organizationId, expiresAt: isoTime(expiresAt) } };
}

/** Ends the session of a token, if there is one. */
export async function endSession({ records }: AccountsContext, tokenHash: string): Promise<null> {
  await records.collection(dashboardSessions, systemScope).remove(tokenHash);
  return null;
}

/** The session of a token with what belongs to it; null if it is unknown or over, or its user may not sign in. */
async function sessionOf(app: AccountsContext, tokenHash: string) {
  const { accounts, users } = collectionsOf(app);
  const session = await app.records.collection(dashboardSessions, systemScope).get(tokenHash);
  if (session === null) return null;
  const [user, account, { people }] = await Promise.all([
    users.get(session.userId),
    accounts.get(session.accountId),
    peopleOf(app, session.accountId),
  ]);
  const person = people.find(({ id }) => id === session.userId);
  if (user === null || account === null || person?.isActive !== true) return null;
  return isCurrentSession(session, user, app.runtime.now()) ? { session, user, account, role: person.role } : null;
}

/** What the session of a token may do: what its user's role includes. Null if it is unknown or over. */
export async function sessionAccess(app: AccountsContext, tokenHash: string): Promise<KeyAccess | null> {
  const found = await sessionOf(app, tokenHash);
  if (found === null) return null;
  const { session, user, account, role } = found;
  return {
    ...accessOf(app, account),
    keyId: user._id,
    prefix: '',
    label: user.email,
    scope: includesRole(role, 'admin') ? 'admin' : 'standard',
    userId: user._id,
    role,
    sessionId: sessionIdOf(session),
  };
}

/** The session of a token, for the page that has its cookie. @throws Refusal `api_key_required` if it is over */
export async function readSession(app: AccountsContext, tokenHash: string): Promise<CurrentSessionView> {
  const found = await sessionOf(app, tokenHash);
  if (found === null) throw new Refusal('api_key_required', { detail: 'The session of the dashboard is over.' });
  const { session, user, account, role } = found;
  return {
    userId: user._id,
    email: user.email,
    organizationId: account.organizationId,
    expiresAt: isoTime(session.expiresAt),
    role,
    timeZone: account.timeZone,
  };
}

const everyMs = 10 * 60_000;
const atOnce = 500;

/**
 * Removes sessions that are over, and failed attempts that no longer count; stores users whose acceptance of an
 * invitation was cut off.
 */
export function sessionSweeper(app: AccountsContext & Pick<AppContext, 'log'>): Intake {
  const { records, runtime } = app;
  return periodicIntake({
    name: 'sessions',
    everyMs,
    firstMs: app.runtime.random() * everyMs,
    round: async (isStopping) => {
      const now = runtime.now();
      await storeAllJoining(app);
      for (let removed = atOnce; removed === atOnce && !isStopping();)
        removed = await records
          .collection(dashboardSessions, systemScope)
          .removeMany({ expiresAt: { $lte: now } }, atOnce);
      for (let removed = atOnce; removed === atOnce && !isStopping();)
        removed = await records.collection(loginFailures, systemScope).removeMany({ until: { $lte: now } }, atOnce);
    },
    failed: (error) => app.log.warn({ err: error }, 'removing ended sessions failed, will retry'),
  });
}

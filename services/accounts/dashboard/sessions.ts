import type { KeyAccess, StartedSession } from '../../../mixins/actions/accounts.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { dashboardSessions, loginFailures, sessionMs, users } from '../../../models/dashboard.ts';
import { Refusal } from '../../../models/errors.ts';
import { isoTime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { accessOf } from '../access.ts';
import { collectionsOf, type AccountsContext } from '../collections.ts';
import { hashKey } from '../keys.ts';
import { beginAttempt } from './attempts.ts';
import { isPassword } from './passwords.ts';

const tokenBytes = 32;

/**
 * Starts a session of the user with an e-mail address and password. The token is answered once.
 * @throws Refusal `invalid_credentials`, `rate_limited`
 */
export async function startSession(app: AccountsContext, email: string, password: string): Promise<StartedSession> {
  const { records, runtime } = app;
  const emailKey = email.toLowerCase();
  const succeeded = await beginAttempt(app, emailKey);
  const [user] = await records.collection(users, systemScope).find({ filter: { emailKey }, limit: 1 });
  const isRight = await isPassword(password, user?.passwordHash ?? null);
  const account = user === undefined ? null : await collectionsOf(app).accounts.get(user.accountId);
  if (!isRight || user === undefined || account === null) throw new Refusal('invalid_credentials');
  await succeeded();
  const token = runtime.secret(tokenBytes);
  const createdAt = runtime.now();
  const expiresAt = createdAt + sessionMs;
  await records
    .collection(dashboardSessions, systemScope)
    .insert({ _id: hashKey(token), userId: user._id, accountId: user.accountId, createdAt, expiresAt });
  return {
    token,
    view: {
      userId: user._id,
      email: user.email,
      organizationId: account.organizationId,
      expiresAt: isoTime(expiresAt),
    },
  };
}

/** Ends the session of a token, if there is one. */
export async function endSession({ records }: AccountsContext, tokenHash: string): Promise<null> {
  await records.collection(dashboardSessions, systemScope).remove(tokenHash);
  return null;
}

/** What the session of a token may do: what an admin key may. Null if it is unknown or over. */
export async function sessionAccess(app: AccountsContext, tokenHash: string): Promise<KeyAccess | null> {
  const { records, runtime } = app;
  const session = await records.collection(dashboardSessions, systemScope).get(tokenHash);
  if (session === null || session.expiresAt <= runtime.now()) return null;
  const [user, account] = await Promise.all([
    records.collection(users, systemScope).get(session.userId),
    collectionsOf(app).accounts.get(session.accountId),
  ]);
  if (user === null || account === null) return null;
  return {
    ...accessOf(app, account),
    keyId: user._id,
    prefix: '',
    label: user.email,
    scope: 'admin',
    userId: user._id,
  };
}

const everyMs = 10 * 60_000;
const atOnce = 500;

/** Removes sessions that are over, and failed attempts that no longer count. */
export function sessionSweeper(app: AccountsContext & Pick<AppContext, 'log'>): Intake {
  const { records, runtime } = app;
  return periodicIntake({
    name: 'sessions',
    everyMs,
    firstMs: app.runtime.random() * everyMs,
    round: async (isStopping) => {
      const now = runtime.now();
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

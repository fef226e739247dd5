import type { Records } from '../../../adapters/records/port.ts';
import { isDuplicate } from '../../../adapters/records/port.ts';
import { dashboardSessions, users, type User } from '../../../models/dashboard.ts';
import { isoTime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import type { AccountsContext } from '../collections.ts';
import { hashPassword } from './passwords.ts';

/** Random bytes of a password that the service makes: 20 URL-safe characters. */
const passwordBytes = 15;
const atOnce = 100;

/** A user as an operator sees it. */
export interface UserView {
  userId: string;
  accountId: string;
  email: string;
  createdAt: string;
}

/** A user with a new password, which is shown only once. */
export interface NewPassword {
  user: UserView;
  password: string;
}

function viewOf({ _id, accountId, email, createdAt }: User): UserView {
  return { userId: _id, accountId, email, createdAt: isoTime(createdAt) };
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
 * Gives a user of an account a new password and ends their sessions; a user whom nobody has is created.
 * @param accountId of a new user
 * @throws Error if the address belongs to a user of another account
 */
export async function givePassword(app: AccountsContext, accountId: string, email: string): Promise<NewPassword> {
  const { records, runtime } = app;
  const collection = records.collection(users, systemScope);
  const password = newPassword(app);
  const made = await userRecord(app, accountId, email, password);
  try {
    await collection.insert(made);
    return { user: viewOf(made), password };
  } catch (error) {
    if (!isDuplicate(error, 'email')) throw error;
  }
  const [known] = await collection.find({ filter: { emailKey: made.emailKey }, limit: 1 });
  if (known?.accountId !== accountId) throw new Error(`${email} is a user of another account`);
  const changed = await collection.update(
    known._id,
    {},
    { set: { passwordHash: made.passwordHash, updatedAt: runtime.now() } },
  );
  if (changed === null) throw new Error(`${email} was just removed`);
  const sessions = records.collection(dashboardSessions, systemScope);
  while ((await sessions.removeMany({ userId: known._id }, atOnce)) === atOnce);
  return { user: viewOf(changed), password };
}

/** The users of an account, oldest first. */
export async function listUsers({ records }: { records: Records }, accountId: string): Promise<UserView[]> {
  const found = await records.collection(users, systemScope).find({
    filter: { accountId },
    sort: [
      ['createdAt', 1],
      ['_id', 1],
    ],
    limit: 10_000,
  });
  return found.map(viewOf);
}
